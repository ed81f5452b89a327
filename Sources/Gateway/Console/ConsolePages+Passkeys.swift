internal import API
internal import Console
internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// The passkeys of the people who use the console.
extension ConsolePages {
    /// The script of the sign-in page. It sends no requests: it submits the form of the ceremony.
    private static let passkeyScript = ScreenScript(
        PageScript.passkeys.text, sha256: PageScript.passkeys.sha256, sendsRequests: false)

    /// The ceremony with which a person signs in; `nil` if pages of the console cannot use passkeys.
    func signInCeremony() async throws -> ConsoleCeremony? {
        guard let started = try await signIn.startPasskey() else { return nil }
        return ConsoleCeremony(
            options: try started.optionsText, script: Self.passkeyScript,
            failure: "No passkey was used. Try again, or use another way to sign in.")
    }

    /// The ceremony that creates the passkey of an account without a second factor.
    ///
    /// - Returns: `nil` if pages of the console cannot use passkeys, or if the account cannot get one here. The person
    ///   can then enrol an authenticator app only.
    func creationCeremony(idToken: String) async throws -> ConsoleCeremony? {
        do {
            return try ceremony(try await signIn.startPasskeyEnrolment(idToken: idToken))
        } catch is any Refusal {
            return nil
        }
    }

    private func ceremony(_ started: PasskeyEnrolment.Started?) throws -> ConsoleCeremony? {
        guard let started else { return nil }
        return ConsoleCeremony(
            options: try started.optionsText, script: Self.passkeyScript,
            failure:
                "No passkey was created. Try again. If this device has one of your passkeys, use another device.")
    }

    /// Creates the passkey of an account without a second factor, and asks the person to sign in with it.
    func createPasskey(
        _ input: FormInput, _ call: EndpointCall, _ cookies: inout ConsoleCookies
    ) async throws -> Response {
        try await signIn.finishPasskeyEnrolment(
            idToken: input["idToken"], try RegistrationResponse(field: input.passkeyResponse), from: call.context)
        let state = state(input["continue"], &cookies)
        return respond(SignInScreens.passkey(state, try await signInCeremony(), isNew: true), call)
    }

    /// Shows the passkeys of the person who is signed in. The page needs a recent proof of both factors, because it
    /// creates passkeys.
    func showPasskeys(_ call: EndpointCall) async throws -> Response {
        try await serving(call) { cookies in
            guard let person = try await person(&cookies), person.isProven(at: clock.now()) else {
                return redirectToSignIn(call)
            }
            return respond(try await passkeyScreen(of: person), call)
        }
    }

    /// Adds or removes a passkey.
    func submitPasskeys(_ call: EndpointCall) async throws -> Response {
        try await servingPersonForm(call) { person, submitted, cookies in
            do {
                if submitted.form.beginsExactly(with: "\(SignInScreens.removePasskeyForm)-") {
                    try await signIn.removePasskey(ID(submitted.input["passkey"]), of: person, from: call.context)
                } else {
                    let response = try RegistrationResponse(field: submitted.input.passkeyResponse)
                    cookies.set(.session, try await signIn.addPasskey(response, of: person, from: call.context))
                }
                return Self.redirect(to: SignInScreens.passkeysPath)
            } catch ConsoleRefusal.proofNeeded {
                return Self.redirectToProof(for: SignInScreens.passkeysPath)
            } catch let refusal as any Refusal {
                return respond(try await passkeyScreen(of: person, problem: refusal.textForPerson), call)
            }
        }
    }

    private func passkeyScreen(of person: ConsolePerson, problem: String? = nil) async throws -> Screen {
        var creation: ConsoleCeremony?
        do {
            creation = try ceremony(try await signIn.startAddingPasskey(of: person))
        } catch is any Refusal {
            // The account has the maximum number of passkeys.
        }
        let listed = person.account.passkeys.map {
            SignInScreens.ListedPasskey(
                id: $0.id.rawValue, name: $0.name, createdAt: $0.createdAt.milliseconds,
                lastUsedAt: $0.lastUsedAt?.milliseconds)
        }
        return SignInScreens.passkeys(
            listed, creation, state(of: person, at: SignInScreens.passkeysPath, problem: problem),
            now: clock.now().milliseconds)
    }
}
