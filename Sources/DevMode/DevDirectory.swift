package import Crypto
internal import FoundationEssentials
internal import Gateway

/// The directory of the database and the master key of `dev`.
package struct DevDirectory {
    let path: String

    /// Creates the directory if it does not exist.
    package init(_ path: String) throws {
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        self.path = absolute
        do {
            try WritableDirectory.create(at: absolute)
        } catch {
            throw Failure(message: "\(error.message). Choose another directory with --data.")
        }
    }

    var postgres: String { path + "/postgres" }

    /// Returns the master key. It is generated on first use, and stored in a file with mode 0600.
    package func masterKeys() throws -> MasterKeys {
        let file = path + "/master-key"
        if FileManager.default.fileExists(atPath: file) {
            let key = try InputFile.bytes(of: file)
            guard key.count == 32 else {
                throw Failure(message: "\(file) is invalid: expected 32 bytes, got \(key.count)")
            }
            return try MasterKeys(current: key, previous: nil)
        }
        let key = Random.bytes(32)
        let newFile = try NewFile(writing: file)
        try newFile.write(key)
        try newFile.finish()
        return try MasterKeys(current: key, previous: nil)
    }
}
