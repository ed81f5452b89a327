internal import Glibc

/// A directory that this process can write.
package enum WritableDirectory {
    /// Creates the directory and its parents if they do not exist.
    ///
    /// - Throws: ``Failure`` if the directory cannot be created or written.
    package static func create(at path: String) throws(Failure) {
        var created = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            created += "/\(name)"
            guard mkdir(created, 0o777) != 0, errno != EEXIST else { continue }
            let reason = String(cString: strerror(errno))
            guard isDirectory(created) else {
                throw Failure(message: "cannot create the directory \(created): \(reason)")
            }
        }
        guard isDirectory(path) else { throw Failure(message: "\(path) is not a directory") }
        guard access(path, W_OK | X_OK) == 0 else {
            throw Failure(message: "cannot write in the directory \(path): \(String(cString: strerror(errno)))")
        }
    }

    private static func isDirectory(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }
}
