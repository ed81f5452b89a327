package import Crypto
internal import FoundationEssentials
internal import Gateway
internal import Glibc

/// The folder that `dev` keeps its database and its master key in.
package struct DevDirectory {
    let path: String

    /// Makes the folder if there is none.
    package init(_ path: String) throws {
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        self.path = absolute
        try FileManager.default.createDirectory(atPath: absolute, withIntermediateDirectories: true)
    }

    var postgres: String { path + "/postgres" }

    /// Made on first use; a database belongs to one.
    package func masterKeys() throws -> MasterKeys {
        let file = path + "/master-key"
        if let data = FileManager.default.contents(atPath: file) {
            guard data.count == 32 else { throw Failure(message: "\(file) is damaged: it should have 32 bytes") }
            return try MasterKeys(current: Array(data), previous: nil)
        }
        let key = Random.bytes(32)
        let isWritten = FileManager.default.createFile(
            atPath: file, contents: Data(key), attributes: [.posixPermissions: 0o600])
        guard isWritten else { throw Failure(message: "\(file) cannot be written") }
        return try MasterKeys(current: key, previous: nil)
    }
}
