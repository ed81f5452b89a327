internal import HTTP
internal import Identity

/// An answer, with what is worth knowing of how it came about.
struct RequestOutcome {
    var response: Response
    let operationID: String?
    let realm: ID<Realm>?
    /// The wire's code for it.
    let refusal: String?
    /// The error behind an answer that admits to be our fault.
    let fault: (any Error)?
    /// Not for pages of other origins to read.
    let isPage: Bool

    init(_ response: Response, of endpoint: Endpoint? = nil, realm: ID<Realm>? = nil) {
        self.response = response
        operationID = endpoint?.operationID
        self.realm = realm
        refusal = nil
        fault = nil
        isPage = endpoint?.isPage ?? false
    }

    init(_ answer: PageAnswer, of endpoint: Endpoint) {
        response = answer.response
        operationID = endpoint.operationID
        realm = answer.realm
        refusal = answer.refusal
        fault = nil
        isPage = true
    }

    /// A refusal is JSON. Everything else is plain text: stock clients drop their user on any error in JSON, and try
    /// again after one that is not.
    init(
        _ error: any Error, of endpoint: Endpoint? = nil, realm: ID<Realm>? = nil, allowed: [HTTP.Method] = []
    ) {
        operationID = endpoint?.operationID
        self.realm = realm
        isPage = endpoint?.isPage ?? false
        do {
            guard let refusal = error as? any Refusal else { throw error }
            response = try (endpoint?.errors ?? .identityToolkit).response(WireError(refusal))
            self.refusal = refusal.loggedCode
            fault = nil
        } catch {
            response = Self.failure(error)
            refusal = nil
            fault = error
        }
        if !allowed.isEmpty {
            response.headers.add("Allow", allowed.map(\.rawValue).joined(separator: ", "))
        }
    }

    private static func failure(_ error: any Error) -> Response {
        let (status, text, seconds): (Int, String, Int) =
            switch error {
            case is Overloaded: (503, "Too busy; try again shortly.", 1)
            case is StoreUnavailable: (503, "Unavailable; try again shortly.", 2)
            case is ProviderUnreachable: (503, "The identity provider does not answer; try again shortly.", 2)
            default: (500, "Internal error", 0)
            }
        var response = Response.text(status: status, text)
        if seconds > 0 { response.headers.add("Retry-After", String(seconds)) }
        return response
    }
}
