internal import Glibc

/// A file that is written atomically with mode 0600, or standard output.
package final class NewFile {
    private let descriptor: Int32
    private let path: String
    private var buffer: [UInt8] = []
    private var isDone = false

    private var unfinishedPath: String { path + ".unfinished" }

    /// - Parameter path: `-` stands for standard output.
    package init(writing path: String) throws(Failure) {
        let descriptor = path == "-" ? STDOUT_FILENO : Self.create(path + ".unfinished")
        guard descriptor >= 0 else { throw Self.unwritable(path) }
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        guard path != "-" else { return }
        close(descriptor)
        if !isDone { unlink(unfinishedPath) }
    }

    /// Creates a file. First deletes the file that an interrupted run has left, because it may have another mode or be
    /// a symbolic link.
    private static func create(_ path: String) -> Int32 {
        unlink(path)
        return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)
    }

    package func write(_ bytes: some Sequence<UInt8>) throws(Failure) {
        buffer += bytes
        if buffer.count > 65536 { try flush() }
    }

    /// Writes the buffered bytes, and gives the file its final path. Without this call, the file is deleted.
    package func finish() throws(Failure) {
        try flush()
        guard path != "-" else { return }
        guard fsync(descriptor) == 0, rename(unfinishedPath, path) == 0 else { throw Self.unwritable(path) }
        isDone = true
    }

    private func flush() throws(Failure) {
        var remaining = buffer[...]
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { throw Self.unwritable(path) }
            remaining = remaining.dropFirst(max(0, count))
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Returns the failure to write the file, with the reason in `errno`.
    private static func unwritable(_ path: String) -> Failure {
        Failure(message: "cannot write \(path): \(String(cString: strerror(errno)))")
    }
}
