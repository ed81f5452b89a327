import Foundation
import SekishoAuth

#if canImport(Combine)
    import Combine
#endif

/// The view model of all screens.
///
/// Public methods do not throw. They store the error in ``SampleState/error``.
@MainActor public final class SampleModel: ObservableObject {
    /// What the screens show.
    @Published public internal(set) var state = SampleState()

    let auth: Auth
    /// The nonce for the next dialog of Apple or Google.
    var nonce: SignInNonce?
    /// The credential that caused ``SampleState/conflict``.
    var postponedCredential: AuthCredential?
    /// The address that a sign-in link was sent to.
    var signInLinkEmail: String?
    /// The action that requires ``SampleState/reauthentication``.
    private var postponedAction: (@MainActor () async throws -> Void)?
    private var listener: AuthStateDidChangeListenerHandle?

    /// Creates the model and configures the library. Call it once.
    public init(server: SampleServer) { auth = server.auth() }

    /// Shows the restored user, adds a listener and loads the sign-in methods.
    public func start() async {
        if listener == nil {
            listener = auth.addIDTokenDidChangeListener { [weak self] _, _ in self?.showUser() }
        }
        showUser()
        await perform {
            let methods = try await self.auth.loginMethods()
            self.state.loginMethods = methods.methods
            self.state.allowsAnonymous = methods.allowsAnonymous
        }
    }

    /// Runs an action, and shows its error, conflict or request for reauthentication.
    func perform(_ action: @escaping @MainActor () async throws -> Void) async {
        state.isBusy = true
        state.error = nil
        state.notice = nil
        do {
            try await action()
        } catch AuthErrorCode.requiresRecentLogin {
            postponedAction = action
            state.reauthentication = auth.currentUser?.providerData.map(\.providerID)
        } catch {
            state.error = ErrorMessage(error)
            showConflict(error)
        }
        state.isBusy = false
        showUser()
    }

    /// Repeats the action that required a recent login.
    func continuePostponedAction() async throws {
        state.reauthentication = nil
        let action = postponedAction
        postponedAction = nil
        try await action?()
    }

    /// Cancels the reauthentication and the action that requires it.
    public func cancelReauthentication() {
        postponedAction = nil
        state.reauthentication = nil
    }

    /// Whether the user is asked to reauthenticate. The value false cancels the reauthentication.
    public var isReauthenticating: Bool {
        get { state.reauthentication != nil }
        set { if !newValue { cancelReauthentication() } }
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
