import Foundation
import SekishoAuth

/// The operation that a credential is used for.
public enum CredentialPurpose: String, Sendable {
    case signIn = "sign-in"
    case link
    case reauthenticate
}

extension SampleModel {
    /// Signs in anonymously.
    public func signInAnonymously() async { await perform { try await self.auth.signInAnonymously() } }

    /// Creates an account, and sends an email with a link that verifies the address.
    public func signUp(email: String, password: String) async {
        await perform {
            let result = try await self.auth.createUser(withEmail: email, password: password)
            try await result.user.sendEmailVerification()
            self.state.notice = "We have sent a link to \(email)."
        }
    }

    /// Signs in, links or reauthenticates with an email address and a password.
    public func use(email: String, password: String, for purpose: CredentialPurpose) async {
        await perform {
            try await self.use(EmailAuthProvider.credential(withEmail: email, password: password), for: purpose)
        }
    }

    /// Signs in, links or reauthenticates with a credential.
    func use(_ credential: AuthCredential, for purpose: CredentialPurpose) async throws {
        switch purpose {
        case .signIn:
            let result = try await auth.signIn(with: credential)
            try await linkPostponedCredential(to: result.user)
        case .link: try await user.link(with: credential)
        case .reauthenticate:
            try await user.reauthenticate(with: credential)
            try await continuePostponedAction()
        }
    }

    /// Resolves ``Conflict/signInFirst(email:)``: links the postponed credential, without another dialog of the
    /// provider. Discards the credential if the user has signed in to an account with another address.
    func linkPostponedCredential(to user: User) async throws {
        guard case .signInFirst(let email) = state.conflict, let credential = postponedCredential else { return }
        dismissConflict()
        guard let email, user.email == email else { return }
        try await user.link(with: credential)
    }

    /// Dismisses the conflict and discards its credential.
    public func dismissConflict() {
        state.conflict = nil
        postponedCredential = nil
    }

    /// Resolves ``Conflict/otherAccount``: signs in to the other account.
    public func useOtherAccount() async {
        await perform {
            guard let credential = self.postponedCredential else { return }
            self.dismissConflict()
            try await self.auth.signIn(with: credential)
        }
    }

    /// Resolves ``Conflict/otherAccount``: merges this account into the other account.
    public func mergeIntoOtherAccount() async {
        await perform {
            guard let credential = self.postponedCredential else { return }
            self.dismissConflict()
            let user = try self.user
            let preview = try await user.previewMerge(into: .credential(credential))
            _ = try await user.merge(preview)
            self.state.notice = "The two accounts are merged."
        }
    }

    /// Sends an email with a link to reset the password.
    public func sendPasswordReset(to email: String) async {
        await perform {
            try await self.auth.sendPasswordReset(withEmail: email)
            self.state.notice = "If there is an account with this address, we have sent it a link."
        }
    }

    /// Sends an email with a sign-in link.
    public func sendSignInLink(to email: String, continueURL: String) async {
        await perform {
            let settings = ActionCodeSettings()
            settings.url = URL(string: continueURL)
            settings.handleCodeInApp = true
            try await self.auth.sendSignInLink(toEmail: email, actionCodeSettings: settings)
            self.signInLinkEmail = email
            self.state.notice = "We have sent a link to \(email)."
        }
    }

    /// Handles a link from an email that the system has opened in the app.
    public func open(link: String) async {
        await perform {
            guard let action = ActionCodeURL(link: link), let code = action.code else {
                throw AuthErrorCode.invalidActionCode
            }
            if action.operation == .emailLink {
                guard let email = self.signInLinkEmail else { throw AuthErrorCode.missingEmail }
                try await self.auth.signIn(withEmail: email, link: link)
                return
            }
            try await self.auth.applyActionCode(code)
            self.state.notice =
                action.operation == .recoverEmail
                ? "Your previous address is restored." : "Thank you. The address is verified."
            // A changed or restored address ends all sessions. The reload then signs the user out on this device. An
            // error of the reload is ignored, because the code was applied.
            _ = try? await self.auth.currentUser?.reload()
        }
    }

    /// Signs out on this device.
    public func signOut() async { await perform { try self.auth.signOut() } }
}
