internal import CSystem
public import EventLoop

/// Runs transfers that share a set of connections. Uses the events and timers of one event loop, and is used only on
/// that loop.
public final class Transfers {
    private let loop: Loop
    /// The multi handle of libcurl; `nil` once closed.
    private var multi: UnsafeMutableRawPointer?
    /// By descriptor.
    private var watches: [Int32: Loop.Watch] = [:]
    private var timer: Loop.Timer?
    private var inFlight: [UInt64: (transfer: any Transfer, deadline: Loop.Timer)] = [:]

    /// - Parameters:
    ///   - connections: the maximum number of connections; further transfers wait.
    ///   - connectionsPerHost: the maximum for one host and port; further transfers wait.
    ///   - idleConnections: the maximum number of idle connections that are kept open.
    /// - Throws: ``SystemError`` when the process is out of memory.
    public init(
        loop: Loop, connections: Int, connectionsPerHost: Int, idleConnections: Int
    ) throws(SystemError) {
        self.loop = loop
        guard Handle.libraryIsReady, let multi = curl_multi_init() else {
            throw SystemError(call: "curl_multi_init", code: ENOMEM)
        }
        self.multi = multi
        shim_curl_limit_connections(multi, connections, connectionsPerHost, idleConnections)
        shim_curl_set_multi_callbacks(
            multi, Unmanaged.passUnretained(self).toOpaque(),
            { handle, descriptor, interest, context, _ in
                transfers(context)?.watch(descriptor, interest, for: handle)
                return 0
            },
            { _, milliseconds, context in
                transfers(context)?.scheduleTimer(after: milliseconds)
                return 0
            })
    }

    deinit {
        close()
    }

    /// The number of transfers in progress.
    public var count: Int { inFlight.count }

    /// Starts a transfer. After ``close()``, ends the transfer at once with ``TransferEnd/closed``.
    public func begin(_ transfer: any Transfer) {
        guard let multi else { return transfer.end(.closed) }
        let deadline = loop.schedule(after: transfer.deadline) { [unowned self, id = transfer.id] in
            removeTransfer(id)?.end(.timedOut)
        }
        inFlight[transfer.id] = (transfer, deadline)
        shim_curl_set_id(transfer.handle.pointer, UInt(transfer.id))
        curl_multi_add_handle(multi, transfer.handle.pointer)
    }

    public func cancel(_ id: UInt64) {
        removeTransfer(id)?.end(.cancelled)
    }

    /// Ends all transfers and connections.
    public func close() {
        guard let multi else { return }
        for id in inFlight.keys { removeTransfer(id)?.end(.closed) }
        self.multi = nil
        shim_curl_set_multi_callbacks(multi, nil, nil, nil)
        for watch in watches.values { loop.unwatch(watch) }
        watches = [:]
        timer.map(loop.cancel)
        curl_multi_cleanup(multi)
    }

    private func removeTransfer(_ id: UInt64) -> (any Transfer)? {
        guard let multi, let (transfer, deadline) = inFlight.removeValue(forKey: id) else { return nil }
        loop.cancel(deadline)
        curl_multi_remove_handle(multi, transfer.handle.pointer)
        return transfer
    }

    // MARK: Events that libcurl waits for

    private func watch(_ descriptor: Int32, _ interest: Int32, for handle: UnsafeMutableRawPointer?) {
        if interest == CURL_POLL_REMOVE {
            watches.removeValue(forKey: descriptor).map(loop.unwatch)
            return
        }
        var readiness: Loop.Readiness = []
        if interest & CURL_POLL_IN != 0 { readiness.insert(.readable) }
        if interest & CURL_POLL_OUT != 0 { readiness.insert(.writable) }
        if let watch = watches[descriptor] { return loop.change(watch, to: readiness) }
        do throws(SystemError) {
            watches[descriptor] = try loop.watch(descriptor, for: readiness) { [unowned self] in
                performAction(descriptor, $0)
            }
        } catch {
            // If this callback reported the error to libcurl, all other transfers would end too. libcurl cannot remove
            // a transfer during a callback.
            let id = UInt64(shim_curl_id(handle))
            loop.atEndOfIteration { [weak self] in self?.removeTransfer(id)?.end(.notWatched(error)) }
        }
    }

    /// Replaces the timer. A negative number only removes it.
    private func scheduleTimer(after milliseconds: Int) {
        timer.map(loop.cancel)
        timer = nil
        guard milliseconds >= 0 else { return }
        timer = loop.schedule(after: .milliseconds(milliseconds)) { [unowned self] in
            timer = nil
            performAction(CURL_SOCKET_BAD, [])  // the value of CURL_SOCKET_TIMEOUT: the timer has expired
        }
    }

    private func performAction(_ descriptor: Int32, _ readiness: Loop.Readiness) {
        guard let multi else { return }
        var events: Int32 = 0
        if readiness.contains(.readable) { events |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { events |= CURL_CSELECT_OUT }
        // Neither readable nor writable: an error or a hang-up.
        if events == 0, !readiness.isEmpty { events = CURL_CSELECT_ERR }
        var running: Int32 = 0
        curl_multi_socket_action(multi, descriptor, events, &running)
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            let code = message.pointee.data.result
            removeTransfer(UInt64(shim_curl_id(message.pointee.easy_handle)))?.end(.done(code))
        }
    }
}

private func transfers(_ context: UnsafeMutableRawPointer?) -> Transfers? {
    context.map { Unmanaged<Transfers>.fromOpaque($0).takeUnretainedValue() }
}
