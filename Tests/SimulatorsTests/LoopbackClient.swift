import Glibc
import Testing

/// Sends one request on its own connection, with a blocking socket. Waits for data at most thirty seconds at a time.
enum LoopbackClient {
    struct Reply {
        let status: Int
        let head: String
        let body: String
    }

    enum Failure: Error, Equatable {
        case notConnected
        /// The connection ended, or thirty seconds passed without data, before the head of the response was complete.
        case noAnswer
    }

    static func get(_ path: String, port: UInt16) throws -> Reply {
        let text = try exchange("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", port: port)
        guard let end = text.firstRange(of: "\r\n\r\n"), let status = Int(text.dropFirst(9).prefix(3)) else {
            throw Failure.noAnswer
        }
        return Reply(status: status, head: String(text[..<end.lowerBound]), body: String(text[end.upperBound...]))
    }

    private static func exchange(_ request: String, port: UInt16) throws -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Failure.notConnected }
        _ = send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL))
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &piece, piece.count, 0), count > 0 {
            received += piece[..<count]
        }
        return String(decoding: received, as: UTF8.self)
    }
}
