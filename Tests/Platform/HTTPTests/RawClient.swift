import Glibc
import Testing

/// A blocking socket that sends given bytes, and waits at most thirty seconds for bytes from the server.
final class RawClient {
    struct Reply: Equatable {
        var status: Int
        var head: String
        var body: String
    }

    struct ConnectionFailed: Error {}

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// Connects to 127.0.0.1.
    ///
    /// - Parameter source: the client's address in 127.0.0.0/8 (default: 127.0.0.1).
    init(port: UInt16, from source: UInt32 = 0x7F00_0001) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isBound = Self.withAddress(source, 0) { bind(descriptor, $0, $1) } == 0
        let code = isBound ? Self.withAddress(0x7F00_0001, port) { connect(descriptor, $0, $1) } : -1
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        guard code == 0 else { throw ConnectionFailed() }
    }

    deinit { close(descriptor) }

    /// - Returns: whether the server still accepts bytes.
    @discardableResult
    func send(_ text: String) -> Bool { send(bytes: Array(text.utf8)) }

    /// - Returns: whether the server still accepts bytes.
    @discardableResult
    func send(bytes: [UInt8]) -> Bool {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    /// The next response; `nil` if the connection ended instead.
    func receive(hasBody: Bool = true) throws -> Reply? {
        while true {
            if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                let length = hasBody ? Self.length(in: head) : 0
                if buffer.count >= end.upperBound + length {
                    let body = String(decoding: buffer[end.upperBound..<end.upperBound + length], as: UTF8.self)
                    buffer.removeFirst(end.upperBound + length)
                    return Reply(status: try #require(Int(head.dropFirst(9).prefix(3))), head: head, body: body)
                }
            }
            guard try fill() else { return nil }
        }
    }

    /// Waits for the end of the connection.
    ///
    /// - Returns: `false` if the server sent bytes that no ``receive(hasBody:)`` has returned.
    func endsWithoutMoreBytes() throws -> Bool { try remainingBytes().isEmpty }

    /// All bytes until the end of the connection.
    func remainingBytes() throws -> [UInt8] {
        while try fill() {}
        return buffer
    }

    /// Closes the sending side. The client can still receive.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the connection end with a reset when the object is released, as if the client had disappeared.
    func resetWhenReleased() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private static func withAddress(
        _ address: UInt32, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var socketAddress = sockaddr_in()
        socketAddress.sin_family = sa_family_t(AF_INET)
        socketAddress.sin_port = port.bigEndian
        socketAddress.sin_addr.s_addr = address.bigEndian
        return withUnsafePointer(to: &socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private func fill() throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &piece, piece.count, 0)
        try #require(count >= 0 || errno != EAGAIN, "the server sent no byte for thirty seconds")
        guard count > 0 else { return false }
        buffer.append(contentsOf: piece[..<count])
        return true
    }

    private static func length(in head: String) -> Int {
        let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        return field.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
    }
}
