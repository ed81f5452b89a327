internal import Glibc

/// Reads whole files of limited size. A pipe such as `/dev/fd/3` works too.
package enum InputFile {
    /// The maximum size of a file, in bytes.
    package static let sizeLimit = 1024 * 1024

    /// - Throws: ``UnreadableFile`` if the file cannot be read or is larger than ``sizeLimit``.
    package static func bytes(of path: String) throws(UnreadableFile) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw UnreadableFile(path: path, error: errno) }
        defer { close(descriptor) }
        return try bytes(from: descriptor, of: path)
    }

    /// - Parameter path: the path that an error names; the bytes are read from `descriptor`.
    /// - Throws: ``UnreadableFile`` if reading fails, or the content is larger than ``sizeLimit``.
    package static func bytes(from descriptor: Int32, of path: String) throws(UnreadableFile) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count <= sizeLimit {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count > 0 {
                bytes += buffer[..<count]
            } else if errno != EINTR {
                throw UnreadableFile(path: path, error: errno)
            }
        }
        throw UnreadableFile(path: path, reason: "larger than \(sizeLimit) bytes")
    }

    /// - Throws: ``UnreadableFile`` if the file cannot be read, is larger than ``sizeLimit``, or is not UTF-8.
    package static func text(of path: String) throws(UnreadableFile) -> String {
        guard let text = String(validating: try bytes(of: path), as: UTF8.self) else {
            throw UnreadableFile(path: path, reason: "not UTF-8")
        }
        return text
    }
}

extension String {
    /// The text of a file without the newline that editors and shells add at the end.
    package var withoutFinalNewline: String { last == "\n" || last == "\r\n" ? String(dropLast()) : self }
}

/// A file that cannot be read, with the reason.
package struct UnreadableFile: Error, CustomStringConvertible {
    package let description: String

    package init(path: String, reason: String) {
        description = "cannot read \(path): \(reason)"
    }

    /// - Parameter error: the value of `errno`.
    package init(path: String, error: Int32) {
        self.init(path: path, reason: String(cString: strerror(error)))
    }
}
