public import HTTP

/// A simulated identity provider that responds to HTTP requests.
public protocol SimulatedProvider: Sendable {
    var faultInjection: FaultInjection { get }

    /// Returns the response without a fault; `nil` for an unknown method or path.
    func response(to request: Request) -> Response?
}

extension SimulatedProvider {
    /// Records a request, and responds to it, with the fault that ``faultInjection`` has for it. Can be the handler of
    /// an ``HTTP/Server``.
    public func respond(to request: Request) async -> Response {
        let fault = faultInjection.nextFault(recording: request)
        do {
            switch fault {
            case .slow(let delay): try await Task.sleep(for: delay)
            case .silent: while true { try await Task.sleep(for: .seconds(3600)) }
            default: break
            }
        } catch {
            return .text(status: 503, "Cancelled")
        }
        return fault.response ?? response(to: request) ?? .text(status: 404, "Not found")
    }
}
