public import HTTP

/// A provider as its clients see it: something that answers HTTP requests, not always well.
public protocol SimulatedProvider: Sendable {
    var conduct: FaultInjection { get }

    /// What the provider answers when all is well; `nil` where it has nothing.
    func response(to request: Request) -> Response?
}

extension SimulatedProvider {
    /// Answers as ``conduct`` says. A handler for ``HTTP/Server``.
    public func respond(to request: Request) async -> Response {
        let misbehaviour = conduct.record(request)
        do {
            switch misbehaviour {
            case .slow(let delay): try await Task.sleep(for: delay)
            case .silent: while true { try await Task.sleep(for: .seconds(3600)) }
            default: break
            }
        } catch {
            return .text(status: 503, "Cancelled")
        }
        return misbehaviour.response ?? response(to: request) ?? .text(status: 404, "Not found")
    }
}
