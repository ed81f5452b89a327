internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// Starts a sign-in with a provider in a browser. Without a provider, returns the sign-in methods of an address;
    /// with email enumeration protection, returns none.
    static let createAuthUri = client("createAuthUri", .post, "/v1/accounts:createAuthUri") { call, client in
        let request = try call.body(as: CreateAuthUriRequest.self, for: client)
        if let provider = request.providerId.nonEmpty {
            return try await call.startFlow(request, with: ProviderID(provider), for: client)
        }
        let answer = try await call.services.signIn.identifiers.lookUp(
            try request.checkedIdentifier(), in: client.realm)
        let linkOnlyProviders = LoginServices(of: client.app, in: client.realm).linkOnly
        let sessionID = request.sessionId.nonEmpty ?? call.services.signIn.newAuthURISessionID()
        return try .json(CreateAuthUriResponse(sessionId: sessionID, answer, omitting: linkOnlyProviders))
    }
}

extension EndpointCall {
    fileprivate func startFlow(
        _ request: CreateAuthUriRequest, with provider: ProviderID, for client: CallingApp
    ) async throws -> Response {
        let operation = try request.checkedOperation()
        try LoginServices.require(
            provider, for: client.app, in: client.realm, to: operation == .link ? .link : .signIn)
        let continueUri = try request.continueUri.required(.missingContinueURI)
        let target = try AuthorizationTarget(continueUri, of: client.app, in: client.realm)
        let started = try await services.signIn.flows.start(
            AuthorizationStart(
                provider: provider, operation: operation,
                delivery: .app(target, sessionID: request.sessionId.nonEmpty),
                redirectURI: pipeline.callbackURL(of: provider, for: self.request, in: client.realm),
                scopes: request.oauthScope?.split(separator: " ").map(String.init) ?? [],
                customParameters: try decodedBody(as: CustomParameters.self, camelCasesNames: false).customParameter
                    ?? [:]),
            for: client.app, in: client.realm, from: context)
        return try .json(
            StartedFlowResponse(
                providerId: provider.rawValue, authUri: started.authorizationURL, sessionId: started.sessionID))
    }
}

private struct CreateAuthUriRequest: ClientRequestBody {
    let identifier: String?
    let continueUri: String?
    let providerId: String?
    let sessionId: String?
    /// Scopes in addition to those of the app, separated by spaces.
    let oauthScope: String?
    /// An extension: the purpose of the flow.
    let operation: String?
    let tenantId: String?
    let targetProjectId: String?

    func checkedOperation() throws(RequestRefusal) -> AuthorizationFlow.Operation {
        try RequestRefusal.enumValue(operation.nonEmpty, at: "/operation") ?? .signIn
    }

    func checkedIdentifier() throws(RequestRefusal) -> EmailAddress {
        let identifier = try identifier.required(.missingIdentifier)
        let continueUri = try continueUri.required(.missingContinueURI)
        guard let email = EmailAddress(identifier) else { throw .rejected(.invalidIdentifier) }
        guard Self.isAbsolute(continueUri) else { throw .rejected(.invalidContinueURI) }
        return email
    }

    /// Whether the URI has a scheme (RFC 3986 §4.3), and neither spaces nor control characters. The gateway does not
    /// redirect to the URI.
    private static func isAbsolute(_ uri: String) -> Bool {
        let parts = uri.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1)
        guard parts.count == 2, let first = parts[0].first, isLetter(first) else { return false }
        return parts[0].allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
            && parts[1].allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// Additional parameters for the URL of the provider's page. Their names are not converted from snake_case.
private struct CustomParameters: Decodable {
    let customParameter: [ByteText: String]?
}

private struct StartedFlowResponse: Encodable {
    let kind = "identitytoolkit#CreateAuthUriResponse"
    let providerId: String
    let authUri: String
    let sessionId: String?
}

private struct CreateAuthUriResponse: Encodable {
    let kind = "identitytoolkit#CreateAuthUriResponse"
    let sessionId: String
    let registered: Bool?
    let allProviders: [String]?
    let signinMethods: [String]?

    /// - Parameter linkOnlyProviders: the providers that users of the calling app can link, but not sign in with.
    init(sessionId: String, _ answer: IdentifierLookup.Answer, omitting linkOnlyProviders: [ProviderID]) {
        self.sessionId = sessionId
        switch answer {
        case .hidden: (registered, allProviders, signinMethods) = (nil, nil, nil)
        case .unknown: (registered, allProviders, signinMethods) = (false, [], [])
        case .registered(let providers, let methods):
            (registered, allProviders, signinMethods) = (
                true, providers.map(\.rawValue), methods.filter { !linkOnlyProviders.contains($0) }.map(\.rawValue)
            )
        }
    }
}
