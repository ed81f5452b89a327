internal import API
internal import Console
internal import Encoding
internal import HTTP
internal import Identity

/// The recovery codes of the people who use the console.
extension ConsolePages {
    /// Shows how many codes are unused. The page needs a recent proof of both factors, because it makes new codes.
    func showRecoveryCodes(_ call: EndpointCall) async throws -> Response {
        try await serving(call) { cookies in
            guard let person = try await person(&cookies), person.isProven(at: clock.now()) else {
                return redirectToSignIn(call)
            }
            return respond(recoveryCodeScreen(of: person), call)
        }
    }

    /// Responds with the codes themselves, and not with a redirection to a page: they are shown once, and the gateway
    /// stores only their hashes. A browser that sends the form again replaces no codes.
    func renewRecoveryCodes(_ call: EndpointCall) async throws -> Response {
        try await servingPersonForm(call) { person, submitted, _ in
            let version = SignInScreens.StoredRecoveryCodes.version(stored(by: person))
            guard submitted.input[.init(SignInScreens.replacedCodesField)].isExactly(version) else {
                let problem = "New codes were made since this page was opened. They stay valid: nothing was changed."
                return respond(recoveryCodeScreen(of: person, problem: problem), call)
            }
            do {
                let codes = try await signIn.renewRecoveryCodes(of: person, from: call.context)
                return respond(SignInScreens.newRecoveryCodes(codes), call)
            } catch ConsoleRefusal.proofNeeded {
                return Self.redirectToProof(for: SignInScreens.recoveryCodesPath)
            } catch let refusal as any Refusal {
                return respond(recoveryCodeScreen(of: person, problem: refusal.textForPerson), call)
            }
        }
    }

    private func stored(by person: ConsolePerson) -> SignInScreens.StoredRecoveryCodes? {
        person.account.secondFactors.recoveryCodes.map {
            SignInScreens.StoredRecoveryCodes(remaining: $0.remaining, createdAt: $0.createdAt.milliseconds)
        }
    }

    private func recoveryCodeScreen(of person: ConsolePerson, problem: String? = nil) -> Screen {
        SignInScreens.recoveryCodes(
            stored(by: person), hasFactor: !person.account.secondFactors.isEmpty,
            state(of: person, at: SignInScreens.recoveryCodesPath, problem: problem), now: clock.now().milliseconds)
    }
}
