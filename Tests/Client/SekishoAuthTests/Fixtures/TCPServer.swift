import Foundation
import Testing

/// A server on a free port of 127.0.0.1. It calls a function, `script`, for each connection, on a separate thread.
final class TCPServer: Sendable {
    let port: Int
    private let descriptor: Int32

    init(script: @escaping @Sendable (TCPConnection) -> Void) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = TCPConnection.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isBound)
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [descriptor] in
            while case let new = accept(descriptor, nil, nil), new >= 0 {
                let connection = TCPConnection(new)
                Thread.detachNewThread { script(connection) }
            }
            close(descriptor)
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// A TCP connection. It is closed when it is deinitialized.
final class TCPConnection: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    /// - Returns: `nil` if the connection fails.
    static func connect(to port: Int) -> TCPConnection? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: UInt16(port))
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let connection = TCPConnection(descriptor)
        return isConnected ? connection : nil
    }

    deinit { close(descriptor) }

    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// Returns the bytes that arrive next; empty at the end of the stream, after an error, or after 20 seconds without
    /// bytes.
    func receive() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Returns all bytes until ``receive()`` returns none.
    func receiveAll() -> [UInt8] {
        var all: [UInt8] = []
        while case let part = receive(), !part.isEmpty { all += part }
        return all
    }

    /// Receives one HTTP request with its body, or its beginning if no more bytes arrive.
    func receiveRequest() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            if let end = all.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: all[..<end.upperBound], as: UTF8.self).lowercased()
                let length = head.firstMatch(of: #/content-length: *(\d+)/#).flatMap { Int($0.output.1) } ?? 0
                if all.count >= end.upperBound + length { return all }
            }
            let part = receive()
            if part.isEmpty { return all }
            all += part
        }
    }

    func send(_ bytes: some Sequence<UInt8>) {
        var remaining = Array(bytes)[...]
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            remaining = remaining.dropFirst(count)
        }
    }

    func send(_ text: String) { send(Array(text.utf8)) }
}
