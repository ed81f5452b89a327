import SekishoAuth
import SekishoSample

/// The state of the view model as JSON.
struct Report: Encodable {
    struct User: Encodable {
        let uid: String
        let name: String?
        let email: String?
        let isEmailVerified: Bool
        let isAnonymous: Bool
        let methods: [String]
    }

    struct Device: Encodable {
        let id: String
        let name: String?
        let isCurrent: Bool
        let method: String
    }

    struct ErrorMessage: Encodable {
        let code: Int
        let text: String
        let details: String
    }

    let screen: String
    let user: User?
    let loginMethods: [String]
    let devices: [Device]
    /// The providers with which the user can reauthenticate, if an action requires it.
    let reauthentication: [String]?
    let conflict: String?
    let error: ErrorMessage?
    let notice: String?

    init(_ state: SampleState) {
        screen = state.screen.rawValue
        user = state.user.map {
            User(
                uid: $0.uid, name: $0.name, email: $0.email, isEmailVerified: $0.isEmailVerified,
                isAnonymous: $0.isAnonymous, methods: $0.methods)
        }
        loginMethods = state.loginMethods.map(\.providerID)
        devices = state.devices.map {
            Device(id: $0.id, name: $0.device, isCurrent: $0.isCurrent, method: $0.signInProvider)
        }
        reauthentication = state.reauthentication
        conflict =
            switch state.conflict {
            case .signInFirst: "signInFirst"
            case .otherAccount: "otherAccount"
            case nil: nil
            }
        error = state.error.map { ErrorMessage(code: $0.code.rawValue, text: $0.text, details: $0.details) }
        notice = state.notice
    }
}
