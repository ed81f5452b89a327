// The declarations of Google's library for sign-in that the guide uses, as in AuthenticationServices.swift.

import UIKit

public class GIDConfiguration: NSObject {
    public init(clientID: String) {}
    public init(clientID: String, serverClientID: String?) {}
}

public class GIDToken: NSObject {
    public var tokenString: String { "" }
}

public class GIDGoogleUser: NSObject {
    public var idToken: GIDToken? { nil }
    public var accessToken: GIDToken { preconditionFailure() }
}

public class GIDSignInResult: NSObject {
    public var user: GIDGoogleUser { preconditionFailure() }
    public var serverAuthCode: String? { nil }
}

@MainActor public class GIDSignIn: NSObject {
    public static var sharedInstance: GIDSignIn { preconditionFailure() }

    public var configuration: GIDConfiguration? {
        get { nil }
        set {}
    }

    public func signIn(withPresenting presentingViewController: UIViewController) async throws -> GIDSignInResult {
        preconditionFailure()
    }

    public func handle(_ url: URL) -> Bool { false }
}
