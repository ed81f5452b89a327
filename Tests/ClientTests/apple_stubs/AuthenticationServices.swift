// The declarations of Apple's framework that SekishoAuth uses, so that a compiler on Linux can check the types. Nothing
// here is called.

import Foundation
import UIKit

public class ASAuthorizationRequest: NSObject {}

public class ASAuthorizationAppleIDRequest: ASAuthorizationRequest {
    public var requestedScopes: [ASAuthorization.Scope]?
    public var nonce: String?
}

public class ASAuthorizationPasswordRequest: ASAuthorizationRequest {}

public protocol ASAuthorizationCredential: NSObjectProtocol {}

public class ASAuthorization: NSObject {
    public struct Scope: Hashable, Sendable {
        public static let fullName = Scope()
        public static let email = Scope()
    }

    public var credential: any ASAuthorizationCredential { preconditionFailure() }
}

public class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential {
    public var identityToken: Data? { nil }
    public var authorizationCode: Data? { nil }
    public var fullName: PersonNameComponents? { nil }
}

public class ASPasswordCredential: NSObject, ASAuthorizationCredential {
    public var user: String { "" }
    public var password: String { "" }
}

public class ASAuthorizationAppleIDProvider: NSObject {
    public enum CredentialState: Int, Sendable {
        case revoked, authorized, notFound, transferred
    }

    public static let credentialRevokedNotification = Notification.Name("revoked")

    public func createRequest() -> ASAuthorizationAppleIDRequest { preconditionFailure() }

    public func getCredentialState(
        forUserID userID: String, completion: @escaping @Sendable (CredentialState, (any Error)?) -> Void
    ) {}
}

public class ASAuthorizationPasswordProvider: NSObject {
    public func createRequest() -> ASAuthorizationPasswordRequest { preconditionFailure() }
}

public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: Hashable, Sendable {
    public static let preferred = ASAuthorizationPublicKeyCredentialUserVerificationPreference()
    public static let required = ASAuthorizationPublicKeyCredentialUserVerificationPreference()
}

public class ASAuthorizationPlatformPublicKeyCredentialDescriptor: NSObject {
    public init(credentialID: Data) {}
}

public class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest {
    public enum RequestStyle: Int, Sendable {
        case standard, conditional
    }

    public var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.required
    public var excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]?
    public var requestStyle = RequestStyle.standard
}

public class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {
    public var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.required
}

public class ASAuthorizationPlatformPublicKeyCredentialProvider: NSObject {
    public init(relyingPartyIdentifier: String) {}

    public func createCredentialRegistrationRequest(
        challenge: Data, name: String, userID: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest { preconditionFailure() }

    public func createCredentialAssertionRequest(
        challenge: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest { preconditionFailure() }
}

public class ASAuthorizationPlatformPublicKeyCredentialRegistration: NSObject, ASAuthorizationCredential {
    public var credentialID: Data { Data() }
    public var rawClientDataJSON: Data { Data() }
    public var rawAttestationObject: Data? { nil }
}

public class ASAuthorizationPlatformPublicKeyCredentialAssertion: NSObject, ASAuthorizationCredential {
    public var credentialID: Data { Data() }
    public var rawClientDataJSON: Data { Data() }
    public var rawAuthenticatorData: Data! { nil }
    public var signature: Data! { nil }
    public var userID: Data! { nil }
}

public class ASCredentialUpdater {
    public init() {}

    public func reportAllAcceptedPublicKeyCredentials(
        relyingPartyIdentifier: String, userHandle: Data, acceptedCredentialIDs: [Data]
    ) async throws {}

    public func reportPublicKeyCredentialUpdate(
        relyingPartyIdentifier: String, userHandle: Data, newName: String
    ) async throws {}

    public func reportUnknownPublicKeyCredential(relyingPartyIdentifier: String, credentialID: Data) async throws {}
}

public struct ASAuthorizationError: Error {
    public enum Code: Int, Sendable {
        case unknown, canceled, invalidResponse, notHandled, failed, notInteractive
    }

    public static let canceled = Code.canceled
    public var code: Code { .unknown }
}

public typealias ASPresentationAnchor = UIWindow

public protocol ASAuthorizationControllerDelegate: NSObjectProtocol {
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization)
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}

public protocol ASAuthorizationControllerPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

public class ASAuthorizationController: NSObject {
    public weak var delegate: (any ASAuthorizationControllerDelegate)?
    public weak var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)?

    public init(authorizationRequests: [ASAuthorizationRequest]) {}

    public func performRequests() {}
}

public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Int, Sendable {
        case canceledLogin, presentationContextNotProvided, presentationContextInvalid
    }

    public var code: Code { .canceledLogin }
}

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

@MainActor public class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = @Sendable (URL?, (any Error)?) -> Void

    public struct Callback: Sendable {
        public static func customScheme(_ scheme: String) -> Callback { Callback() }
        public static func https(host: String, path: String) -> Callback { Callback() }
    }

    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false

    public init(url: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {}
    public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}

    public func start() -> Bool { true }
    public func cancel() {}
}
