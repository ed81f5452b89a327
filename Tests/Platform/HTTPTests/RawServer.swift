import Foundation
import Synchronization
import Testing

/// Listens on a free port of 127.0.0.1 and runs a script for each connection, on its own thread.
final class RawServer: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let accepted = Counter()
    private let acceptsConnections: Bool

    /// - Parameters:
    ///   - backlog: the backlog of `listen(2)`.
    ///   - script: handles a connection, which is closed when the script returns. Without a script, no connection is
    ///     accepted.
    init(backlog: Int32 = 16, script: (@Sendable (RawConnection) -> Void)?) throws {
        acceptsConnections = script != nil
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, backlog) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        try #require(isBound)
        guard let script else { return }
        Thread.detachNewThread { [descriptor, accepted] in
            while case let new = accept(descriptor, nil, nil), new >= 0 {
                accepted.add()
                let connection = RawConnection(new)
                Thread.detachNewThread { script(connection) }
            }
            // Closed only here: otherwise the next `accept` could use another test's socket with the same descriptor.
            close(descriptor)
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))  // ends the wait in accept
        if !acceptsConnections { close(descriptor) }
    }

    /// The number of accepted connections.
    var connections: Int { accepted.value }
}

/// A counter that threads can share.
final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
}

/// One accepted connection; closed when it is released.
final class RawConnection: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Reads and returns the next request without its body. The result is empty if the connection ends, or if no byte
    /// arrives for thirty seconds.
    func receiveHead() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard recv(descriptor, &byte, 1, 0) == 1 else { return "" }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Returns: whether the client still accepts bytes.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    func answer(_ body: String) {
        send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// Sends the text every 50 ms until the client closes the connection.
    func sendRepeatedly(_ text: String) {
        while send(text) { usleep(50_000) }
    }

    /// Reads until the client closes the connection.
    ///
    /// - Returns: `true` if the client closed or reset the connection, `false` if no byte arrived for thirty seconds.
    func waitForEnd() -> Bool {
        var byte: UInt8 = 0
        while true {
            let count = recv(descriptor, &byte, 1, 0)
            if count <= 0 { return count == 0 || errno != EAGAIN }
        }
    }

    /// Makes the connection end with a reset when the object is released.
    func resetWhenReleased() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}
