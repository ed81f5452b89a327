package import Crypto
internal import FoundationEssentials
internal import Gateway
internal import Glibc

/// The directory of the database and the master key of `dev`.
package struct DevDirectory {
    let path: String

    /// Creates the directory if it does not exist.
    package init(_ path: String) throws {
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        self.path = absolute
        try FileManager.default.createDirectory(atPath: absolute, withIntermediateDirectories: true)
    }

    var postgres: String { path + "/postgres" }

    /// Returns the master key, which is generated on first use and stored with mode 0600.
    package func masterKeys() throws -> MasterKeys {
        let file = path + "/master-key"
        if let data = FileManager.default.contents(atPath: file) {
            guard data.count == 32 else {
                throw Failure(message: "\(file) is invalid: expected 32 bytes, got \(data.count)")
            }
            return try MasterKeys(current: Array(data), previous: nil)
        }
        let key = Random.bytes(32)
        let isWritten = FileManager.default.createFile(
            atPath: file, contents: Data(key), attributes: [.posixPermissions: 0o600])
        guard isWritten else { throw Failure(message: "cannot write \(file)") }
        return try MasterKeys(current: key, previous: nil)
    }
}
