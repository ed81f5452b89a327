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
        try offersPasskeys ? ceremony(unknown: unknown) : nil
    }

    /// The ceremony for an account that has got a passkey in this flow: the request may be older than the passkey.
    func ceremonyOfNewPasskey() throws -> PasskeyCeremony? { try usesPasskeys ? ceremony(unknown: nil) : nil }

    private func ceremony(unknown: ID<Passkey>?) throws -> PasskeyCeremony {
        let started = try call.services.signIn.passkey.start(for: app, in: realm)
        let request = PasskeyRequest(started)
        return PasskeyCeremony(
            options: try request.credentialRequestOptions.jsonText,
            unknown: try unknown.map {
                try UnknownPasskey(rpId: started.rpID, credentialId: $0.rawValue).jsonText
            })
    }

    /// Signs in with a passkey. It counts as both factors, so it also completes a sign-in that waits for the second
    /// one.
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
        guard case .signedIn(var signedIn) = outcome else { return try await finish(outcome, stays: stays) }
        switch step {
        case .held(let held) where held.question != .passkey:
            try await require(signedIn, in: held.account)
            signedIn.isNewAccount = held.isNewAccount
            // The page of an enrolment has no box for that.
            return try await finish(.signedIn(signedIn), stays: held.stays)
        case .secondFactor(_, _, let storedStays, _, let owner):
            try await require(signedIn, in: owner)
            return try await finish(outcome, stays: storedStays)
        default: return try await finish(outcome, stays: stays)
        }
    }

    /// - Throws: ``SignInRefusal/otherAccount`` for another account than that of the step, whose session then ends.
    private func require(_ signedIn: SignedIn, in account: ID<Account>?) async throws {
        guard signedIn.account.id != account else { return }
        try await services.codes.discard(signedIn.session.id, in: realm)
        throw SignInRefusal.otherAccount
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
