/// The passkeys and recovery codes of administrators. A passkey proves both factors, because every use of it verifies
/// the user.
extension ConsoleSignIn {
    /// Whether pages of the console can use the passkeys of the operators' project.
    public func offersPasskeys() async throws -> Bool {
        try await administrators.realm().acceptsPasskeys(on: administrators.origin)
    }

    /// What a browser needs to sign in with a passkey.
    ///
    /// - Returns: `nil` if pages of the console cannot use the passkeys of the operators' project.
    public func startPasskey() async throws -> PasskeyMethod.StartedSignIn? {
        let realm = try await administrators.realm()
        guard realm.acceptsPasskeys(on: administrators.origin) else { return nil }
        return try passkeys.start(for: .console, in: realm)
    }

    /// Signs a person in with a passkey, which was used on a page of the console.
    ///
    /// - Parameter invitation: the code of an invitation to accept; `nil` without one.
    /// - Returns: the sealed reference to the session.
    public func finish(
        _ response: AuthenticationResponse, accepting invitation: String?, from context: RequestContext
    ) async throws -> String {
        let realm = try await administrators.realm()
        let outcome = try await passkeys.signIn(
            response, for: .console, onPagesOf: administrators.origin, in: realm, from: context)
        guard case .signedIn(let signedIn) = outcome else { throw ConsoleRefusal.signInFailed }
        return try await open(signedIn, accepting: invitation, in: realm, from: context)
    }

    /// What a browser needs to create the passkey of an account without a second factor.
    ///
    /// - Returns: `nil` if pages of the console cannot use the passkeys of the operators' project.
    public func startPasskeyEnrolment(idToken: String) async throws -> PasskeyEnrolment.Started? {
        let realm = try await administrators.realm()
        guard realm.acceptsPasskeys(on: administrators.origin) else { return nil }
        return try passkeyEnrolment.start(
            for: try await newcomer(idToken, in: realm), isConditional: false, for: .console, in: realm)
    }

    /// Adds the passkey to an account without a second factor. The person then signs in with it: the session that added
    /// it was opened with the password alone, and ends.
    public func finishPasskeyEnrolment(
        idToken: String, _ response: RegistrationResponse, from context: RequestContext
    ) async throws {
        let realm = try await administrators.realm()
        let caller = try await newcomer(idToken, in: realm)
        try enrolment.requireSupported(caller)
        let signedIn = try await passkeyEnrolment.finalize(
            for: caller, response, name: nil, for: .console, in: realm, from: context)
        try await end(signedIn.session, in: realm, from: context)
    }

    /// What a browser needs to create another passkey of a person who has proven both factors recently.
    ///
    /// - Returns: `nil` if pages of the console cannot use the passkeys of the operators' project.
    public func startAddingPasskey(of person: ConsolePerson) async throws -> PasskeyEnrolment.Started? {
        let realm = try await administrators.realm()
        guard realm.acceptsPasskeys(on: administrators.origin) else { return nil }
        return try passkeyEnrolment.start(
            for: try await provenCaller(person, in: realm), isConditional: false, for: .console, in: realm)
    }

    /// Adds the passkey to the person's account, and replaces the person's session.
    ///
    /// - Returns: the sealed reference to the new session.
    public func addPasskey(
        _ response: RegistrationResponse, of person: ConsolePerson, from context: RequestContext
    ) async throws -> String {
        let realm = try await administrators.realm()
        let signedIn = try await passkeyEnrolment.finalize(
            for: try await provenCaller(person, in: realm), response, name: nil, for: .console, in: realm,
            from: context)
        return try reference(to: signedIn.session, in: realm)
    }

    /// Removes a passkey of the person's account, but neither the last factor that a role needs nor the last sign-in
    /// method. Sessions that were opened with the passkey end, also the person's own. Ignores a passkey that the
    /// account does not have.
    public func removePasskey(
        _ passkey: ID<Passkey>, of person: ConsolePerson, from context: RequestContext
    ) async throws {
        let realm = try await administrators.realm()
        let caller = try await provenCaller(person, in: realm)
        var input = AccountEditor.Input()
        input.removedPasskeys = [passkey]
        (input.keepsRoles, input.keepsSignInMethod) = (true, true)
        _ = try await editor.edit(caller, input, in: realm, from: context)
        if caller.session.passkey == passkey { try await end(caller.session, in: realm, from: context) }
    }

    /// Replaces the recovery codes of a person who has proven both factors recently.
    ///
    /// - Returns: the new codes, which are shown once.
    public func renewRecoveryCodes(of person: ConsolePerson, from context: RequestContext) async throws -> [String] {
        let realm = try await administrators.realm()
        return try await enrolment.generateRecoveryCodes(
            for: try await provenCaller(person, in: realm), in: realm, from: context)
    }

    private func provenCaller(_ person: ConsolePerson, in realm: Realm) async throws -> Caller {
        guard person.isProven(at: clock.now()) else { throw ConsoleRefusal.proofNeeded }
        return try await authenticator.authenticate(
            IDTokenContents(account: person.account.id, session: person.session.id), in: realm)
    }
}

extension Administrators {
    /// Whether the account has a passkey with which its owner can sign in to the console.
    func hasUsablePasskey(_ account: Account, in realm: Realm) -> Bool {
        realm.acceptsPasskeys(on: origin)
            && account.passkeys.contains { $0.rpID == realm.project.passkeys.rpID }
    }
}
