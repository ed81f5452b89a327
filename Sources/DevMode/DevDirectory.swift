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
        let file = Self.masterKeyFile(in: path)
        if FileManager.default.fileExists(atPath: file) { return try Self.readMasterKeys(file) }
        let key = Random.bytes(32)
        let newFile = try NewFile(writing: file)
        try newFile.write(key)
        try newFile.finish()
        return try MasterKeys(current: key, previous: nil)
    }

    /// Returns the master key that `dev` has stored in the directory, for a command on the database of `dev`.
    package static func storedMasterKeys(in path: String) throws -> MasterKeys {
        let file = masterKeyFile(in: path)
        guard FileManager.default.fileExists(atPath: file) else {
            throw Failure(message: "\(file) does not exist: name the directory of `sekisho dev` with --data")
        }
        return try readMasterKeys(file)
    }

    private static func masterKeyFile(in path: String) -> String { path + "/master-key" }

    private static func readMasterKeys(_ file: String) throws -> MasterKeys {
        let key = try InputFile.bytes(of: file)
        guard key.count == 32 else {
            throw Failure(message: "\(file) is invalid: expected 32 bytes, got \(key.count)")
        }
        return try MasterKeys(current: key, previous: nil)
    }
}
