internal import CSystem

/// Starts a libmicrohttpd daemon whose callbacks call `daemon` and its connections.
///
/// The library retains each connection from its start notification to its end notification.
func startLibrary(for daemon: Unmanaged<Daemon>, poolBytes: Int, connections: Int) -> OpaquePointer? {
    shim_mhd_start(
        daemon.toOpaque(), poolBytes, UInt32(connections),
        { _, library, _, method, version, piece, pieceBytes, _ in
            guard let library, let method, let version, let pieceBytes else { return .NO }
            let bytes = UnsafeRawBufferPointer(start: piece, count: pieceBytes.pointee)
            pieceBytes.pointee = 0
            let continues = connection(of: library)?.receive(
                method: String(cString: method), version: String(cString: version), piece: bytes)
            return continues == true ? .YES : .NO
        },
        { _, target, library in
            guard let target, let library else { return nil }
            connection(of: library)?.targetArrived(String(cString: target))
            return nil
        },
        { _, library, _, reason in
            guard let library else { return }
            connection(of: library)?.requestEnded(inError: reason == .REQUEST_TERMINATED_WITH_ERROR)
        },
        { context, library, slot, event in
            guard let context, let library, let slot else { return }
            let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
            if event == .CONNECTION_NOTIFY_STARTED {
                slot.pointee = Unmanaged.passRetained(daemon.connectionBegan(library)).toOpaque()
            } else if let pointer = slot.pointee {
                daemon.connectionEnded(Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue())
            }
        })
}

private func connection(of library: OpaquePointer) -> Connection? {
    shim_mhd_socket_context(library).map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
}
