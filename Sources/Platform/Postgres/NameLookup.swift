internal import CSystem
internal import EventLoop
internal import Synchronization

/// Resolves one host name on its own thread, because the system's resolver blocks without a time limit.
final class NameLookup: Sendable {
    /// - Returns: numeric addresses in the resolver's order; empty if there are none, if the deadline passed first, or
    ///   if no thread could be created.
    static func addresses(
        of host: String, on loop: Loop, until deadline: ContinuousClock.Instant
    ) async -> [String] {
        await withCheckedContinuation { continuation in
            let lookup = NameLookup(continuation)
            let timer = loop.schedule(after: ContinuousClock.now.duration(to: deadline)) { lookup.finish([]) }
            do {
                try NamedThread(name: "name-lookup") { lookup.finish(resolve(host)) }.detach()
            } catch {
                loop.cancel(timer)
                lookup.finish([])
            }
        }
    }

    /// Resumed by the thread or by the deadline, whichever is first.
    private let waiting: Mutex<CheckedContinuation<[String], Never>?>

    private init(_ continuation: CheckedContinuation<[String], Never>) {
        waiting = Mutex(continuation)
    }

    private func finish(_ addresses: [String]) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: addresses)
    }
}

private func resolve(_ host: String) -> [String] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next {
        var text = [UInt8](repeating: 0, count: Int(NI_MAXHOST))
        let code = text.withUnsafeMutableBytes { buffer in
            getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen,
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
        }
        if code == 0 { addresses.append(String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)) }
        next = entry.pointee.ai_next
    }
    return addresses
}
