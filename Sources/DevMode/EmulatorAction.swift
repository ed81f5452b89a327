internal import API
internal import Encoding
internal import Gateway
internal import HTTP
internal import Identity

extension Endpoint {
    /// Redeems the email action code of a link at once, like Firebase's emulator. The exception is a sign-in link,
    /// whose code the app redeems.
    static func emulatorAction(_ emailActions: EmailActionService) -> Endpoint {
        outsideContract("performEmulatorAction", .get, "/emulator/action") { call in
            do {
                return try await call.redeemCode(with: emailActions)
            } catch let refusal as OOBCodeRefusal {
                return try .json(["authEmulator": ActionFailure(refusal)], status: 400)
            } catch let refusal as CredentialRefusal {
                return try .json(["authEmulator": ActionFailure(refusal)], status: 400)
            }
        }
    }
}

extension EndpointCall {
    fileprivate func redeemCode(with emailActions: EmailActionService) async throws -> Response {
        let code = request.query("oobCode") ?? ""
        var checked = try await emailActions.check(code)
        // With these rules, ``ContinueURL`` accepts every host, unless the project's authorized domains were changed.
        checked.realm.project.modeRules = .emulator
        guard request.query("mode") == ActionLink.Mode(checked.code.purpose).rawValue else {
            throw OOBCodeRefusal.invalid
        }
        switch checked.code.purpose {
        case .signIn: return try redirectToApp(checked, code)
        case .resetPassword:
            guard let password = request.query("newPassword") else { throw CredentialRefusal.missingPassword }
            try await emailActions.resetPassword(
                code, to: Secret(password), removing: .none, choosesNewAccount: false, from: context)
        case .verifyEmail, .changeEmail: _ = try await emailActions.confirm(code, removing: .none, from: context)
        case .recoverEmail: _ = try await emailActions.recover(code, removing: .none, from: context)
        case .removeSignInMethod, .revertFactorAddition:
            _ = try await emailActions.removeSignInMethod(code, from: context)
        case .undoMerge: _ = try await emailActions.undoMerge(code, from: context)
        }
        if let url = request.query("continueUrl") {
            return Response(status: 303, headers: ["Location": try ContinueURL(url, in: checked.realm).text])
        }
        return try .json(["authEmulator": ActionSuccess(checked.code)])
    }

    /// Redirects to the app, which redeems the code. Without a continue URL, reports only that the link is valid.
    private func redirectToApp(_ checked: CheckedCode, _ code: String) throws -> Response {
        guard let url = request.query("continueUrl") else {
            return try .json(["authEmulator": ActionSuccess(checked.code)])
        }
        let link = ActionLink(
            .signIn, code: code, in: checked.realm.id, at: try ContinueURL(url, in: checked.realm).text,
            apiKey: request.query("apiKey"), language: checked.realm.project.emailSettings.language)
        return Response(status: 303, headers: ["Location": link.url])
    }
}

private struct ActionSuccess: Encodable {
    let success: String
    let email: String

    init(_ code: OOBCode) {
        success =
            switch code.purpose {
            case .verifyEmail: "The email has been successfully verified."
            case .resetPassword: "The password has been successfully updated."
            case .signIn: "The link is valid. Sign in with it in the app."
            case .changeEmail: "The email has been successfully changed."
            case .recoverEmail: "The email has been successfully reset."
            case .revertFactorAddition: "The second factor has been successfully removed."
            case .removeSignInMethod: "The sign-in method has been successfully removed."
            case .undoMerge: "The merge has been successfully undone."
            }
        email = (code.purpose == .changeEmail ? code.newEmail : nil)?.rawValue ?? code.email.rawValue
    }
}

private struct ActionFailure: Encodable {
    let error: String
    let instructions = "Request a new code and open its link once. Pass a new password as newPassword."

    init(_ refusal: OOBCodeRefusal) {
        error =
            switch refusal {
            case .missing, .invalid, .expired, .otherEmail:
                "Your request is invalid, expired or has been used already."
            case .emailTaken: "Another account already has the address."
            case .accountDisabled: "The account is disabled."
            case .notAllowed: "The project does not allow this action."
            }
    }

    init(_ refusal: CredentialRefusal) {
        // Of the refusals without a detail, a reset throws only `missingPassword`.
        error = refusal.detail ?? "newPassword is missing."
    }
}
