import Encoding
import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import Support

/// The table of operations that change what protects an account, by account and session.
@Suite("Accounts that second factors or passkeys protect")
struct ProtectedAccountTests {
    enum Protection: CaseIterable {
        case none, factor
        /// A passkey, and no second factor.
        case passkey

        var sessions: [SessionKind] {
            switch self {
            case .none: [.password]
            case .factor: [.password, .proven]
            case .passkey: [.password, .removedFactor, .proven]
            }
        }
    }

    enum SessionKind {
        case password
        /// Opened with a factor that an administrator has removed since.
        case removedFactor
        /// Opened with the account's factor or passkey.
        case proven
    }

    enum Operation: CaseIterable, Sendable {
        case enrolFactor, addPasskey, link, changePassword, delete, mergeAsSource, mergeAsTarget
        /// A provider's credential proves the target. The session does not matter.
        case mergeByCredential
    }

    private struct Subject {
        let localId: String
        let email: String
        var sessions: [SessionKind: String]
    }

    @Test(
        "Only a session with a factor or a passkey changes what protects such an account; where factors are mandatory, passkeys protect it too",
        arguments: [SecondFactorPolicy.State.enabled, .mandatory], Operation.allCases)
    func table(state: SecondFactorPolicy.State, operation: Operation) async throws {
        let gateway = try await TestGateway.withSecondFactors(state)
        var number = 0
        for protection in Protection.allCases {
            // An account has one authenticator app at most.
            if operation == .enrolFactor, protection == .factor { continue }
            for session in protection.sessions {
                number += 1
                let subject = try await makeSubject(number, protection, in: gateway)
                let idToken = try #require(subject.sessions[session])
                let outcome = try await perform(operation, on: subject, idToken, in: gateway).outcome
                let expected = expectation(state, protection, session, operation)
                #expect(outcome.hasPrefix(expected), "\(protection) \(session): \(outcome)")
            }
        }
    }

    private func expectation(
        _ state: SecondFactorPolicy.State, _ protection: Protection, _ session: SessionKind, _ operation: Operation
    ) -> String {
        let isProtected = protection == .factor || protection == .passkey && state == .mandatory
        let loginTooOld = "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
        if operation == .mergeByCredential { return isProtected ? loginTooOld : "200" }
        if session == .proven { return "200" }
        // A removed factor restricts its sessions at once, whatever their ID tokens say.
        if state == .mandatory, ![.enrolFactor, .delete].contains(operation) {
            return "400 SECOND_FACTOR_ENROLLMENT_REQUIRED"
        }
        return isProtected ? loginTooOld : "200"
    }

    private func makeSubject(_ number: Int, _ protection: Protection, in gateway: TestGateway) async throws -> Subject {
        let email = "ada\(number)@example.com"
        let first = try await gateway.signUpVerified(email: email)
        var subject = Subject(localId: first.localId, email: email, sessions: [.password: first.idToken])
        guard protection != .none else { return subject }
        let enrolled = try await gateway.enrol(TestGateway.Tokens(await gateway.signIn(email: email)))
        subject.sessions[.proven] = enrolled.idToken
        guard protection == .passkey else { return subject }
        var device = try TestPasskey()
        let response = try device.register(await gateway.startPasskeyEnrolment(enrolled.idToken))
        let added = try await gateway.finalizePasskeyEnrolment(enrolled.idToken, response)
        subject.sessions[.removedFactor] = try TestGateway.Tokens(added).idToken
        #expect(try await gateway.resetFactors(of: first.localId).status == 200)
        subject.sessions[.proven] = try TestGateway.Tokens(await gateway.signInWithPasskey(&device)).idToken
        return subject
    }

    private func credential(_ subject: String, in gateway: TestGateway) throws -> ProviderCredential {
        try gateway.googleCredential {
            $0.claims["sub"] = .string(subject)
            $0.claims["email"] = nil
            $0.claims["email_verified"] = nil
        }
    }

    private func perform(
        _ operation: Operation, on subject: Subject, _ idToken: String, in gateway: TestGateway
    ) async throws -> Exchange {
        switch operation {
        case .enrolFactor: return try await gateway.startEnrolment(idToken)
        case .addPasskey: return try await gateway.startPasskeyEnrolment(idToken)
        case .link: return try await gateway.link(credential(subject.localId, in: gateway), to: idToken)
        case .changePassword: return try await gateway.update(idToken, ["password": "secret2"])
        case .delete: return try await gateway.delete(idToken)
        case .mergeAsSource:
            let target = "target-\(subject.localId)"
            try await gateway.makeAccount(
                ["localId": .string(target)], identities: [["providerId": "google.com", "rawId": .string(target)]])
            return try await preview(idToken, try credential(target, in: gateway), in: gateway)
        case .mergeAsTarget:
            let guest = try await gateway.signUpAnonymously()
            return try await gateway.post(
                "/v1/accounts:merge",
                ["idToken": .string(guest.idToken), "targetIdToken": .string(idToken), "dryRun": true])
        case .mergeByCredential:
            let identity: JSON = ["providerId": "google.com", "rawId": .string(subject.localId)]
            #expect(try await gateway.linkIdentity(identity, to: subject.localId).outcome == "200")
            let guest = try await gateway.signUpAnonymously()
            return try await preview(guest.idToken, try credential(subject.localId, in: gateway), in: gateway)
        }
    }

    private func preview(
        _ idToken: String, _ credential: ProviderCredential, in gateway: TestGateway
    ) async throws -> Exchange {
        try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(idToken), "dryRun": true, "requestUri": "http://localhost",
                "postBody": .string(credential.postBody),
            ])
    }

    @Test("An identity with the account's address is linked at the sign-in only if no passkey protects the account")
    func linkByAddress() async throws {
        for (state, isLinked) in [(SecondFactorPolicy.State.enabled, true), (.mandatory, false)] {
            let gateway = try await TestGateway.withSecondFactors(state)
            let subject = try await makeSubject(1, .passkey, in: gateway)
            let signedIn = try await gateway.signIn(
                gateway.googleCredential {
                    $0.claims["email"] = .string(subject.email)
                    $0.claims["email_verified"] = .bool(true)
                })
            #expect((signedIn.json["idToken"] != nil) == isLinked, "\(signedIn.text)")
            #expect((signedIn.json["needConfirmation"] == true) == !isLinked, "\(signedIn.text)")
            #expect(try await gateway.identities(of: subject.localId).isEmpty == !isLinked)
        }
    }

    @Test("A merge is not committed if the target has got a passkey since the preview")
    func passkeySincePreview() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory)
        let subject = try await makeSubject(1, .factor, in: gateway)
        #expect(try await gateway.resetFactors(of: subject.localId).status == 200)
        let guest = try await gateway.signUpAnonymously()
        let identity: JSON = ["providerId": "google.com", "rawId": .string(subject.localId)]
        #expect(try await gateway.linkIdentity(identity, to: subject.localId).outcome == "200")
        let preview = try await preview(guest.idToken, try credential(subject.localId, in: gateway), in: gateway)
        #expect(preview.json["mergeToken"] != nil, "\(preview.text)")
        // The session of the removed factor is restricted, except at a gateway that knows another policy.
        _ = try await gateway.database.pool.execute(
            "UPDATE realm SET policy = policy || '{\"secondFactors\": \"enabled\"}' WHERE id = 'demo'")
        let other = try gateway.withFreshCaches()
        var device = try TestPasskey()
        let idToken = try #require(subject.sessions[.proven])
        let response = try device.register(await other.startPasskeyEnrolment(idToken))
        #expect(try await other.finalizePasskeyEnrolment(idToken, response).status == 200)
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(guest.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.wireCode == "MERGE_PREVIEW_OUTDATED", "\(merged.text)")
    }
}
