internal import Crypto
internal import HTTP
internal import Synchronization

extension SimulatedGoogle {
    /// `/o/oauth2/v2/auth`: shows the consent page, or processes the decision that the request contains.
    func consent(to request: Request) throws -> Response {
        let language = ConsentLanguage(of: request)
        let form = request.method == .post ? Form(request) : Form(request.query)
        do {
            guard let form else { throw GoogleRefusal(.invalidRequest) }
            let authorization = try GoogleAuthorizationRequest(form)
            if let refusal = state.withLock({
                $0.refusal(of: authorization.clientID, redirectURI: authorization.redirectURI)
            }) {
                throw refusal
            }
            return try response(to: authorization, form, in: language)
        } catch let refusal as GoogleRefusal {
            return page(of: refusal, form, in: language)
        }
    }

    private func response(
        to request: GoogleAuthorizationRequest, _ form: Form, in language: ConsentLanguage
    ) throws -> Response {
        func redirect(_ fields: [(String, String?)]) -> Response {
            AuthorizationResponse(
                redirectURI: request.redirectURI, fields: fields.compactMap { name, value in value.map { (name, $0) } }
            ).response(.query, in: language)
        }
        func error(_ code: String) -> Response { redirect([("error", code), ("state", request.state)]) }
        return switch ConsentDecision(form, among: people) {
        // OpenID Connect Core 1.0 §3.1.2.1, §3.1.2.6: `prompt=none` forbids a page.
        case nil where request.prompts.contains("none"): error("interaction_required")
        case nil: page(for: request, form, in: language).response()
        case .invalidEmail(let person): page(for: request, form, rejecting: person, in: language).response()
        case .cancellation: error("access_denied")
        case .fault(.serverError, _): error(ConsentFault.serverError.rawValue)
        case .fault(let fault, let person): redirect(try fields(of: request, for: person, fault))
        case .consent(let person): redirect(try fields(of: request, for: person))
        }
    }

    /// Signs the person in, and returns the fields of the response to the redirect URI.
    private func fields(
        of request: GoogleAuthorizationRequest, for person: SimulatedPerson, _ fault: ConsentFault? = nil
    ) throws -> [(String, String?)] {
        let valueOfOtherRequest = Random.text(length: 22)
        let code = try authorize(
            person, client: request.clientID, redirectURI: request.redirectURI,
            nonce: fault == .otherNonce ? valueOfOtherRequest : request.nonce, codeChallenge: request.codeChallenge,
            isOffline: request.isOffline, forcesConsent: request.prompts.contains("consent"))
        // Google deletes a code that was redeemed.
        if fault == .usedCode { state.withLock { $0.codes[code] = nil } }
        return [
            ("state", fault == .otherState ? valueOfOtherRequest : request.state),
            // RFC 9207. The value is always the URL, even if the tokens name the host as the issuer.
            ("iss", GoogleIssuer.url.rawValue), ("code", code), ("scope", "openid email profile"), ("authuser", "0"),
            ("prompt", request.prompts.contains("consent") ? "consent" : "none"),
        ]
    }

    private func page(
        for request: GoogleAuthorizationRequest, _ form: Form, rejecting rejected: SimulatedPerson? = nil,
        in language: ConsentLanguage
    ) -> ConsentPage {
        let consents = state.withLock { $0.consents }
        return ConsentPage(
            language: language,
            title: language.text("Sign in with Google (simulated)", "Googleでログイン（シミュレーター）"), provider: "Google",
            clientID: request.clientID, redirectURI: request.redirectURI, action: Self.authorizationPath,
            parameters: form.fields(named: GoogleAuthorizationRequest.parameterNames),
            people: people.listed(first: request.loginHint).map { person in
                let isKnown = consents.contains(.init(personID: person.id, clientID: request.clientID))
                return .init(person: person, hidesEmail: isKnown ? false : nil)
            },
            offersRelay: false, faults: ConsentFault.allCases, rejectedPerson: rejected)
    }

    private func page(of refusal: GoogleRefusal, _ form: Form?, in language: ConsentLanguage) -> Response {
        let advice: String? =
            switch refusal.code {
            case .invalidClient: RefusalPage.unknownClient(form?["client_id"] ?? "", in: language)
            case .redirectURIMismatch: RefusalPage.unknownRedirectURI(form?["redirect_uri"] ?? "", in: language)
            default: nil
            }
        return RefusalPage(
            language: language, provider: "Google", code: refusal.code.rawValue, explanation: refusal.explanation,
            advice: advice
        ).response()
    }
}
