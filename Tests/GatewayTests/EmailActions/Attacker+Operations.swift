import API
import HTTP
import Identity
import JSON
import Simulators
import Testing

@testable import Support

/// Browser flows, tenants, links in emails, and every operation of the API with the attacker's values.
extension Attacker {
    /// Signs in to Google in a browser, and returns to the app.
    func completeFlow(_ members: [String: JSON]) async throws -> Exchange {
        try await gateway.startFlow("google.com").complete(Self.google, members)
    }

    /// Uses the same address, password and identity in a tenant, and the tenant's tokens in the project.
    mutating func signInToTenant() async throws {
        if tenant == nil {
            let fixture = try await TenantFixture(gateway)
            tenant = (fixture, try await fixture.makeTenant())
        }
        guard let (fixture, id) = tenant else { return }
        for operation in ["signUp", "signInWithPassword"] {
            keepTenantTokens(
                of: try await fixture.callAsClient(
                    operation, in: id,
                    ["email": .string(CompromisedAccount.email), "password": .string(passwords[0])]))
        }
        _ = try await gateway.signIn(gateway.googleCredential(Self.google), ["tenantId": .string(id)])
    }

    /// Keeps the tokens of a tenant's account behind those of the stolen account, which the next action uses.
    private mutating func keepTenantTokens(of response: Exchange) {
        let current = tokens.removeLast()
        keepTokens(of: response)
        tokens.append(current)
    }

    mutating func openEmailLink() async throws {
        guard try await gateway.sendOobCode("EMAIL_SIGNIN", ["email": .string(Self.mailboxes[0])]).status == 200 else {
            return
        }
        keepTokens(of: try await gateway.signInWithEmailLink(Self.mailboxes[0], gateway.latestCode(.signIn)))
    }

    mutating func addPassword() async throws {
        passwords.append("attacker secret \(actions.count)")
        keepTokens(
            of: try await gateway.post(
                "/v1/accounts:signUp",
                [
                    "idToken": .string(idToken), "email": .string(Self.mailboxes[0]),
                    "password": .string(passwords[passwords.count - 1]),
                ]))
    }

    mutating func resetOwnPassword() async throws {
        for mailbox in Self.mailboxes {
            let count = try await gateway.emails(.resetPassword).count
            _ = try await gateway.sendOobCode("PASSWORD_RESET", ["email": .string(mailbox)])
            guard try await gateway.emails(.resetPassword).count > count else { continue }
            _ = try await gateway.resetPassword(gateway.latestCode(.resetPassword), passwords[0])
        }
        try await signInAgain()
    }

    /// Uses the links that were sent to the attacker's mailboxes.
    mutating func useOwnEmails() async throws {
        try await useEveryCode()
        passwords.append(Self.lastPassword)
        try await signInAgain()
    }

    private static let lastPassword = "last try of the attacker"

    func useEveryCode() async throws {
        for email in try await gateway.emails() where Self.mailboxes.contains(email.recipient) {
            for code in [email.content.code].compactMap(\.self) + (email.content.removals ?? []).map(\.code) {
                _ = try await gateway.signInWithEmailLink(email.recipient, code)
                _ = try await gateway.resetPassword(code, Self.lastPassword)
                _ = try await gateway.applyCode(code)
                let page = try await gateway.submitActionPage(code, ["newPassword": Self.lastPassword])
                if let next = page.formCode {
                    _ = try await gateway.submitActionPage(next, ["newPassword": Self.lastPassword])
                }
            }
        }
    }

    /// Calls an operation of the contract with the attacker's values in every member. All operations take part, except
    /// the deletion of an account: it would leave the owner nothing to get back.
    mutating func callAnyOperation() async throws {
        let operations = Endpoint.all.filter { $0.operationID != "deleteOwnAccount" }
        guard let operation = operations.randomElement(using: &random) else { return }
        let path = operation.path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            guard part.contains("{") else { return String(part) }
            let values = [
                "{project}": "demo", "{tenant}": tenant?.id ?? "none", "{account}": account.localId,
                "{localId}": account.localId,
            ]
            let suffix = part.drop { $0 != "}" }.dropFirst()
            return (values[String(part.prefix { $0 != "}" }) + "}"] ?? "google.com") + suffix
        }.joined(separator: "/")
        let provider = try gateway.googleCredential(Self.google).postBody
        let body: JSON = [
            "idToken": .string(idToken), "refreshToken": .string(tokens[tokens.count - 1].refreshToken),
            "refresh_token": .string(tokens[tokens.count - 1].refreshToken), "grant_type": "refresh_token",
            "localId": .string(account.localId), "email": .string(Self.mailboxes[0]),
            "password": .string(passwords[0]), "newPassword": .string(passwords[0]), "returnSecureToken": true,
            "requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": .string(Self.mailboxes[1]),
            "postBody": .string(provider),
            "requestUri": "http://localhost", "providerId": "google.com", "deleteProvider": ["apple.com"],
            "identifier": .string(CompromisedAccount.email), "continueUri": "http://localhost",
        ]
        addresses += Self.mailboxes.prefix(2).filter { !addresses.contains($0) }
        var headers: Headers = ["Content-Type": "application/json"]
        if operation.scope != nil { headers.add("Authorization", "Bearer \(idToken)") }
        let response = try await gateway.send(
            operation.method, path, body: operation.method == .get ? [] : body.bytes,
            query: [(name: "key", value: TestGateway.apiKey)],
            headers: headers)
        #expect(response.status != 500, "\(operation.operationID): \(response.text)")
        keepTokens(of: response)
    }
}
