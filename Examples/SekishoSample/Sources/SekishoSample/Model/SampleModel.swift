import Foundation
import SekishoAuth

#if canImport(Combine)
    import Combine
#endif

/// The view model of all screens.
///
/// Each method is what a button does. Methods do not throw: the error is in ``state``.
@MainActor public final class SampleModel: ObservableObject {
    /// What the screens show.
    @Published public internal(set) var state = SampleState()

    let auth: Auth
    /// The nonce of Apple's or Google's next dialog.
    var nonce: SignInNonce?
    /// The credential of ``SampleState/conflict``.
    var postponedCredential: AuthCredential?
    /// The address that a sign-in link was sent to.
    var linkEmail: String?
    /// What waits for ``SampleState/reauthentication``.
    private var postponedAction: (@MainActor () async throws -> Void)?
    private var listener: AuthStateDidChangeListenerHandle?

    /// Creates the model. Call it once, because it configures the library.
    public init(server: SampleServer) { auth = server.auth() }

    /// Shows the restored user, follows its changes and requests the sign-in methods to offer.
    public func start() async {
        if listener == nil {
            // Without a request of this app too: another device may have ended the session.
            listener = auth.addIDTokenDidChangeListener { [weak self] _, _ in self?.showUser() }
        }
        showUser()
        await perform {
            let methods = try await self.auth.loginMethods()
            self.state.loginMethods = methods.methods
            self.state.allowsAnonymous = methods.allowsAnonymous
        }
    }

    /// Runs what a button does, and shows the outcome.
    func perform(_ action: @escaping @MainActor () async throws -> Void) async {
        state.isBusy = true
        state.problem = nil
        state.notice = nil
        do {
            try await action()
        } catch AuthErrorCode.requiresRecentLogin {
            postponedAction = action
            state.reauthentication = auth.currentUser?.providerData.map(\.providerID)
        } catch {
            state.problem = Problem(error)
            showConflict(error)
        }
        state.isBusy = false
        showUser()
    }

    /// Repeats the action that needed a recent login.
    func continuePostponedAction() async throws {
        state.reauthentication = nil
        let action = postponedAction
        postponedAction = nil
        try await action?()
    }

    /// Closes the question for a credential.
    public func cancelReauthentication() {
        postponedAction = nil
        state.reauthentication = nil
    }

    /// - Throws: ``AuthErrorCode/nullUser`` if no user is signed in.
    var user: User {
        get throws {
            guard let user = auth.currentUser else { throw AuthErrorCode.nullUser }
            return user
        }
    }

    private func showUser() {
        let user = auth.currentUser.map(Profile.init)
        if state.user?.uid != user?.uid { state.devices = [] }
        if user == nil { cancelReauthentication() }
        state.user = user
        state.screen = auth.isRestoring ? .restoring : user == nil ? .signIn : .home
    }

    private func showConflict(_ error: any Error) {
        guard let error = error as? AuthErrorCode, let credential = error.updatedCredential else { return }
        switch error {
        case .accountExistsWithDifferentCredential: state.conflict = .signInFirst(email: error.email)
        case .credentialAlreadyInUse: state.conflict = .otherAccount
        default: return
        }
        postponedCredential = credential
    }
}
