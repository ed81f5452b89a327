internal import Foundation

/// What the system needs to create a passkey.
struct PasskeyCreationOptions: Hashable, Sendable {
    let relyingPartyIdentifier: String
    let challenge: Data
    let userID: Data
    /// The name of the account in lists of passkeys.
    let name: String
    /// The credential IDs of the account's passkeys. A device that has one of them creates no other.
    let excludedCredentialIDs: [Data]

    init(_ response: PasskeyCreationResponse) throws {
        let options = response.credentialCreationOptions
        relyingPartyIdentifier = options.rp.id
        challenge = try Data(requiredBase64: options.challenge)
        userID = try Data(requiredBase64: options.user.id)
        name = options.user.name
        excludedCredentialIDs = try (options.excludeCredentials ?? []).map { try Data(requiredBase64: $0.id) }
    }
}

/// What the system needs to sign in with a passkey.
struct PasskeyRequestOptions: Hashable, Sendable {
    let relyingPartyIdentifier: String
    let challenge: Data

    init(_ response: StartPasskeySignInResponse) throws {
        relyingPartyIdentifier = response.credentialRequestOptions.rpId
        challenge = try Data(requiredBase64: response.credentialRequestOptions.challenge)
    }
}

/// A passkey that the system created, or its answer to a sign-in.
struct PasskeyCredential: Sendable {
    let credentialID: Data
    let clientDataJSON: Data
    /// Only of a new passkey.
    var attestationObject: Data?
    /// Only of a sign-in, like the other members.
    var authenticatorData: Data?
    var signature: Data?
    var userID: Data?
}

extension PasskeyResponse {
    init(_ credential: PasskeyCredential) {
        id = credential.credentialID.base64URL
        rawId = id
        response = Response(
            clientDataJSON: credential.clientDataJSON.base64URL,
            attestationObject: credential.attestationObject?.base64URL,
            authenticatorData: credential.authenticatorData?.base64URL, signature: credential.signature?.base64URL,
            userHandle: credential.userID?.base64URL)
    }
}

extension Data {
    /// In base64url without padding.
    var base64URL: String {
        base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    /// - Parameter text: base64 or base64url, with or without padding.
    init?(anyBase64 text: String) {
        let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let digits = standard.prefix { $0 != "=" }
        self.init(base64Encoded: digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4))
    }

    /// - Throws: ``AuthErrorCode/internalError``, because the text is part of a response.
    fileprivate init(requiredBase64 text: String) throws {
        guard let data = Data(anyBase64: text) else {
            throw AuthErrorCode.internalError.with("The response contains text that is not valid base64.")
        }
        self = data
    }
}
