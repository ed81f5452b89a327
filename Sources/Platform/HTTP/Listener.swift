internal import CSystem
internal import EventLoop

/// The listening socket, which accepts all connections. After the start, used only on its event loop.
final class Listener: @unchecked Sendable {
    let port: UInt16
    private let descriptor: Int32
    private var watch: Loop.Watch?
    private var deliver: ((Int32, SocketAddress) -> Void)?
    private var isClosed = false

    /// - Throws: ``SystemError``, for example with `EADDRINUSE`.
    init(address: String, port: UInt16) throws(SystemError) {
        var address = try SocketAddress(numeric: address, port: port)
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | Self.flags, 0)
        guard descriptor >= 0 else { throw SystemError(call: "socket") }
        self.descriptor = descriptor
        var yes: Int32 = 1
        var no: Int32 = 0
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
        // Accepted sockets inherit this option. Responses are sent as a whole, so Nagle's algorithm would only delay
        // them.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
        setsockopt(
            descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, socklen_t(MemoryLayout.size(ofValue: no)))
        do throws(SystemError) {
            guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else { throw SystemError(call: "bind") }
            guard listen(descriptor, SOMAXCONN) == 0 else { throw SystemError(call: "listen") }
            guard address.withMutablePointer({ getsockname(descriptor, $0, $1) }) == 0 else {
                throw SystemError(call: "getsockname")
            }
        } catch {
            CSystem.close(descriptor)
            throw error
        }
        self.port = address.port
    }

    /// Returns a listener for each address, with the same port.
    ///
    /// - Parameters:
    ///   - further: an IPv6 loopback address is skipped if the machine has none.
    ///   - port: 0 for any port that is free at all addresses.
    static func all(at address: String, _ further: [String], port: UInt16) throws(SystemError) -> [Listener] {
        var remainingAttempts = port == 0 ? 16 : 1
        while true {
            remainingAttempts -= 1
            var listeners = [try Listener(address: address, port: port)]
            do throws(SystemError) {
                for address in further {
                    do throws(SystemError) {
                        listeners.append(try Listener(address: address, port: listeners[0].port))
                    } catch {
                        guard address == "::1", [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.code) else { throw error }
                    }
                }
                return listeners
            } catch {
                guard error.code == EADDRINUSE, remainingAttempts > 0 else { throw error }
            }
        }
    }

    deinit {
        if !isClosed { CSystem.close(descriptor) }
    }

    /// Passes the descriptor of every connection to `deliver`, which must close the descriptor.
    func start(on loop: Loop, deliver: @escaping (Int32, SocketAddress) -> Void) {
        self.deliver = deliver
        resume(on: loop)
    }

    /// Delivers the connections that the kernel has completed, which closing the socket would reset, and closes the
    /// socket.
    func close(on loop: Loop) {
        guard !isClosed else { return }
        isClosed = true
        for _ in 0..<Int(SOMAXCONN) where acceptNext() == nil {}
        if let watch { loop.unwatch(watch) }
        watch = nil
        CSystem.close(descriptor)
    }

    private func resume(on loop: Loop) {
        guard !isClosed else { return }
        do {
            watch = try loop.watch(descriptor, for: .readable) { [self] _ in acceptAll(on: loop) }
        } catch {
            pause(on: loop)
        }
    }

    /// Accepts at most 64 connections per iteration, so that open connections are served too.
    private func acceptAll(on loop: Loop) {
        for _ in 0..<64 {
            guard let error = acceptNext() else { continue }
            if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error) { pause(on: loop) }
            return
        }
    }

    /// - Returns: `nil` if a connection was delivered, otherwise the value of `errno`.
    private func acceptNext() -> Int32? {
        guard let deliver else { return EAGAIN }
        var address = SocketAddress()
        let accepted = address.withMutablePointer { accept4(descriptor, $0, $1, Self.flags) }
        guard accepted >= 0 else { return shim_errno() }
        deliver(accepted, address)
        return nil
    }

    /// Stops accepting for 100 ms, because the process is out of descriptors or memory.
    private func pause(on loop: Loop) {
        if let watch { loop.unwatch(watch) }
        watch = nil
        loop.schedule(after: .milliseconds(100)) { [self] in resume(on: loop) }
    }

    private static let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
}
