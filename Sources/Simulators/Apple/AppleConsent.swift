internal import Crypto
internal import HTTP
internal import Synchronization

extension SimulatedApple {
    /// `/auth/authorize`: shows the consent page, or processes the decision that the request contains.
    func consent(to request: Request) throws -> Response {
        let language = ConsentLanguage(of: request)
        let form = request.method == .post ? Form(request) : Form(request.query)
        do {
            guard let form else { throw AppleRefusal(.invalidRequest) }
            let authorization = try AppleAuthorizationRequest(form)
            _ = try state.withLock {
                try $0.registeredClient(authorization.clientID, redirectURI: authorization.redirectURI)
            }
            switch ConsentDecision(form, among: people) {
            case nil: return page(for: authorization, form, in: language).response()
            case .invalidEmail(let person):
                return page(for: authorization, form, rejecting: person, in: language).response()
            case .cancellation:
                let error = [("error", "user_cancelled_authorize"), ("state", authorization.state)]
                return authorization.response(error, in: language)
            case .consent(let person):
                return authorization.response(try fields(of: authorization, for: person), in: language)
            case .fault(let fault, let person):
                return authorization.response(try fields(of: authorization, for: person, fault), in: language)
            }
        } catch let refusal as AppleRefusal {
            return page(of: refusal, form, in: language)
        }
    }

    /// Signs the person in, and returns the fields of the response to the redirect URI.
    private func fields(
        of request: AppleAuthorizationRequest, for person: SimulatedPerson, _ fault: ConsentFault? = nil
    ) throws -> [(String, String?)] {
        let valueOfOtherRequest = Random.text(length: 22)
        // After the first consent, the page cannot change whether the address is hidden.
        let person = person.with { $0.hidesEmail = hidesEmail(person, from: request.clientID) ?? $0.hidesEmail }
        let authorization = try authorize(
            person, client: request.clientID, scopes: request.scopes,
            nonce: fault == .otherNonce ? valueOfOtherRequest : request.nonce,
            state: fault == .otherState ? valueOfOtherRequest : request.state, redirectURI: request.redirectURI)
        if fault == .usedCode {
            state.withLock { $0.codes[authorization.authorizationCode]?.isUsed = true }
        }
        return authorization.formFields.filter { $0.name != "id_token" || request.requestsIDToken }
    }

    /// Whether the person chose to hide the address from the client; `nil` before the first consent.
    private func hidesEmail(_ person: SimulatedPerson, from clientID: String) -> Bool? {
        state.withLock { $0.consents[.init(personID: person.id, clientID: clientID)]?.person.hidesEmail }
    }

    private func page(
        for request: AppleAuthorizationRequest, _ form: Form, rejecting rejected: SimulatedPerson? = nil,
        in language: ConsentLanguage
    ) -> ConsentPage {
        let isAcceptable = WebURL(request.redirectURI)?.isAcceptableToApple == true
        return ConsentPage(
            language: language,
            title: language.text("Sign in with Apple (simulated)", "Appleでサインイン（シミュレーター）"), provider: "Apple",
            clientID: request.clientID, redirectURI: request.redirectURI, action: Self.authorizationPath,
            parameters: form.fields(named: AppleAuthorizationRequest.parameterNames),
            people: people.listed().map { .init(person: $0, hidesEmail: hidesEmail($0, from: request.clientID)) },
            offersRelay: request.scopes.contains(.email),
            // Apple never redirects with the error `server_error`.
            faults: ConsentFault.allCases.filter { $0 != .serverError },
            warning: isAcceptable
                ? nil
                : language.text(
                    "The real Apple requires a redirect URI that is registered for the Services ID, with https and a domain name.",
                    "実際のAppleでは、Services IDに登録した、ドメイン名を含むhttpsのリダイレクトURIだけが使えます。"),
            rejectedPerson: rejected)
    }

    private func page(of refusal: AppleRefusal, _ form: Form?, in language: ConsentLanguage) -> Response {
        let advice: String? =
            switch refusal.code {
            case .invalidClient: RefusalPage.unknownClient(form?["client_id"] ?? "", in: language)
            case .unauthorizedClient: RefusalPage.unknownRedirectURI(form?["redirect_uri"] ?? "", in: language)
            default: nil
            }
        return RefusalPage(
            language: language, provider: "Apple", code: refusal.code.rawValue, explanation: refusal.explanation,
            advice: advice
        ).response()
    }
}

extension AppleAuthorizationRequest {
    fileprivate func response(_ fields: [(String, String?)], in language: ConsentLanguage) -> Response {
        AuthorizationResponse(
            redirectURI: redirectURI, fields: fields.compactMap { name, value in value.map { (name, $0) } }
        ).response(responseMode, in: language)
    }
}
