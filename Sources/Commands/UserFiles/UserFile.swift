internal import Gateway
internal import Glibc

/// A file of users that is read sequentially.
final class UserFile: Sendable {
    private static let chunkSize = 131_072

    private let descriptor: Int32
    private let path: String
    /// The size in bytes; `nil` if the file is not a regular file, for example a pipe.
    let size: Int?

    /// - Parameter path: `-` stands for standard input.
    init(reading path: String) throws(Failure) {
        self.path = path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(message: UnreadableFile(path: path, error: errno).description) }
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        size = isKnown ? Int(status.st_size) : nil
    }

    deinit { close(descriptor) }

    /// Returns the next bytes of the file; an empty array at the end of the file.
    func read() throws(Failure) -> [UInt8] {
        var count = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, filled in
            repeat {
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            } while count < 0 && errno == EINTR
            filled = max(0, count)
        }
        guard count >= 0 else { throw Failure(message: UnreadableFile(path: path, error: errno).description) }
        return chunk
    }
}
