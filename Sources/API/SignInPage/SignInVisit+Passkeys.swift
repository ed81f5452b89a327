internal import Encoding
internal import Identity
internal import JSON
internal import Pages

extension SignInVisit {
    /// Whether the page can use passkeys. Scripts of an app share the origin of pages on the app's host, so only the
    /// gateway's own origin offers them.
    var usesPasskeys: Bool {
        isOwnOrigin && (request.operation != .link || request.isForGuest && request.provider == nil)
            && realm.offersPasskeys(to: app, on: call.origin(in: realm))
    }

    /// Whether the user of the request can sign in with a passkey.
    var offersPasskeys: Bool {
        usesPasskeys && (request.isForGuest || request.subject?.methods.contains(.passkey) != false)
    }

    /// The ceremony with which the user signs in; `nil` if the page does not offer passkeys.
    ///
    /// - Parameter unknown: the passkey that the user has presented, if no account has it.
    func passkeyCeremony(unknown: ID<Passkey>? = nil) throws -> PasskeyCeremony? {
        guard offersPasskeys else { return nil }
        let started = try call.services.signIn.passkey.start(for: app, in: realm)
        let request = PasskeyRequest(started)
        return PasskeyCeremony(
            options: try request.credentialRequestOptions.jsonText,
            unknown: try unknown.map {
                try UnknownPasskey(rpId: started.rpID, credentialId: $0.rawValue).jsonText
            })
    }

    /// Signs in with a passkey. It counts as both factors, so it also completes a sign-in that waits for the second one.
    func submitPasskey(_ fields: FormFields, stays: Bool) async throws -> PageResponse {
        guard usesPasskeys else { throw PasskeyRefusal.notEnabled }
        let response = try AuthenticatorResponseInput(field: fields[signIn: .credential]).authentication()
        let outcome: SignInOutcome
        do {
            outcome = try await call.services.signIn.passkey.signIn(response, for: app, in: realm, from: context)
        } catch PasskeyRefusal.unknown {
            return try await show(
                screen: .signIn, .unknownPasskey, unknownPasskey: ID(Base64URL.encode(response.id)), status: 400,
                because: PasskeyRefusal.unknown)
        }
        let step = try await state().step
        // The page of an enrolment has no box for that.
        if case .held(let held) = step, held.question != .passkey {
            return try await finish(outcome, stays: held.stays)
        }
        guard case .secondFactor(_, _, let storedStays, _, let owner) = step, case .signedIn(let signedIn) = outcome
        else { return try await finish(outcome, stays: stays) }
        guard signedIn.account.id == owner else {
            try await services.codes.discard(signedIn.session.id, in: realm)
            throw SignInRefusal.otherAccount
        }
        return try await finish(outcome, stays: storedStays)
    }
}

/// `UnknownCredentialOptions` (WebAuthn Level 3 §5.1.10.2).
private struct UnknownPasskey: Encodable {
    let rpId: String
    let credentialId: String
}

extension Encodable {
    /// The value in JSON, for an attribute of a page.
    var jsonText: String {
        get throws { String(decoding: try StrictJSON.encode(self), as: UTF8.self) }
    }
}
