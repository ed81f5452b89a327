internal import CSystem
internal import EventLoop

/// The transfers of one set of connections, driven by the loop's events and timers. Used on its loop only.
final class Transfers {
    private let loop: Loop
    /// Until closed.
    private var library: UnsafeMutableRawPointer?
    private var watches: [Int32: Loop.Watch] = [:]
    private var timer: Loop.Timer?
    private var underWay: [UInt64: (transfer: Transfer, deadline: Loop.Timer)] = [:]

    /// - Throws: ``SystemError`` when the process is out of memory.
    init(loop: Loop, limits: ClientLimits) throws(SystemError) {
        self.loop = loop
        guard Self.libraryIsReady, let library = curl_multi_init() else {
            throw SystemError(call: "curl_multi_init", code: ENOMEM)
        }
        self.library = library
        shim_curl_limit_connections(library, limits.connections, limits.connectionsPerHost, limits.idleConnections)
        shim_curl_set_multi_callbacks(
            library, Unmanaged.passUnretained(self).toOpaque(),
            { _, descriptor, wish, context, _ in
                transfers(context)?.watch(descriptor, wish)
                return 0
            },
            { _, milliseconds, context in
                transfers(context)?.wake(after: milliseconds)
                return 0
            })
    }

    deinit {
        close()
    }

    var count: Int { underWay.count }

    func begin(_ transfer: Transfer) {
        guard let library else { return transfer.fail(ClientFault.closed) }
        let deadline = loop.schedule(after: transfer.deadline) { [unowned self, id = transfer.id] in
            end(id)?.fail(ClientFault.timedOut)
        }
        underWay[transfer.id] = (transfer, deadline)
        curl_multi_add_handle(library, transfer.handle)
    }

    func cancel(_ id: UInt64) {
        end(id)?.fail(CancellationError())
    }

    /// Fails what is under way, and ends all connections.
    func close() {
        guard let library else { return }
        for id in underWay.keys { end(id)?.fail(ClientFault.closed) }
        self.library = nil
        shim_curl_set_multi_callbacks(library, nil, nil, nil)
        for watch in watches.values { loop.unwatch(watch) }
        watches = [:]
        timer.map(loop.cancel)
        curl_multi_cleanup(library)
    }

    /// The library allows this on any thread, and here it happens at most once.
    private static let libraryIsReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK

    private func end(_ id: UInt64) -> Transfer? {
        guard let library, let (transfer, deadline) = underWay.removeValue(forKey: id) else { return nil }
        loop.cancel(deadline)
        curl_multi_remove_handle(library, transfer.handle)
        return transfer
    }

    // MARK: What the library waits for

    private func watch(_ descriptor: Int32, _ wish: Int32) {
        if wish == CURL_POLL_REMOVE {
            watches.removeValue(forKey: descriptor).map(loop.unwatch)
            return
        }
        var readiness: Loop.Readiness = []
        if wish & CURL_POLL_IN != 0 { readiness.insert(.readable) }
        if wish & CURL_POLL_OUT != 0 { readiness.insert(.writable) }
        if let watch = watches[descriptor] { return loop.change(watch, to: readiness) }
        // Without a watch the transfer runs into its deadline; telling the library would end all others as well.
        watches[descriptor] = try? loop.watch(descriptor, for: readiness) { [unowned self] in
            act(descriptor, $0)
        }
    }

    private func wake(after milliseconds: Int) {
        timer.map(loop.cancel)
        timer = nil
        guard milliseconds >= 0 else { return }
        timer = loop.schedule(after: .milliseconds(milliseconds)) { [unowned self] in
            timer = nil
            act(CURL_SOCKET_BAD, [])
        }
    }

    private func act(_ descriptor: Int32, _ readiness: Loop.Readiness) {
        guard let library else { return }
        var events: Int32 = 0
        if readiness.contains(.readable) { events |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { events |= CURL_CSELECT_OUT }
        if events == 0, !readiness.isEmpty { events = CURL_CSELECT_ERR }
        var running: Int32 = 0
        curl_multi_socket_action(library, descriptor, events, &running)
        var left: Int32 = 0
        while let message = curl_multi_info_read(library, &left) {
            let code = message.pointee.data.result
            guard let transfer = transfer(shim_curl_context(message.pointee.easy_handle)) else { continue }
            end(transfer.id)?.finish(code)
        }
    }
}

private func transfers(_ context: UnsafeMutableRawPointer?) -> Transfers? {
    context.map { Unmanaged<Transfers>.fromOpaque($0).takeUnretainedValue() }
}
