internal import Encoding
internal import Identity
internal import JSON

/// The response of an authenticator, in the form of either generation of clients. All bytes are in either alphabet of
/// base64, with or without padding.
///
/// Newer clients send a `PublicKeyCredential` in JSON (WebAuthn Level 3 §5.1.8). Older ones have other
/// names.
struct AuthenticatorResponseInput: Decodable {
    struct Response: Decodable {
        /// `clientDataJSON`, after the conversion of names.
        let clientDataJson: String?
        let attestationObject: String?
        let transports: [String]?
        let authenticatorData: String?
        let signature: String?
        let userHandle: String?
    }

    let id: String?
    let rawId: String?
    let response: Response?
    let credentialId: String?
    let authenticatorAttestationResponse: Response?
    let authenticatorAssertionResponse: Response?

    /// Decodes what the script of a page has written into a form.
    ///
    /// - Throws: ``PasskeyRefusal/missingResponse`` unless the text is the JSON of a response.
    init(field: String?) throws(PasskeyRefusal) {
        guard let field = field.nonEmpty,
            let decoded = try? ParsedJSON(Array(field.utf8)).decodeBody(as: AuthenticatorResponseInput.self)
        else { throw .missingResponse }
        self = decoded
    }

    func registration() throws(PasskeyRefusal) -> RegistrationResponse {
        let (id, rawID) = try credentialID()
        guard !isBare else { return RegistrationResponse(bareID: id) }
        let response = response ?? authenticatorAttestationResponse
        return RegistrationResponse(
            id: id, rawID: rawID, clientDataJSON: try Self.bytes(response?.clientDataJson, "client data malformed"),
            attestationObject: try Self.bytes(response?.attestationObject, "attestation object malformed"),
            transports: response?.transports ?? [])
    }

    func authentication() throws(PasskeyRefusal) -> AuthenticationResponse {
        let (id, rawID) = try credentialID()
        guard !isBare else { return AuthenticationResponse(bareID: id) }
        let response = response ?? authenticatorAssertionResponse
        return AuthenticationResponse(
            id: id, rawID: rawID, clientDataJSON: try Self.bytes(response?.clientDataJson, "client data malformed"),
            authenticatorData: try Self.bytes(response?.authenticatorData, "authenticator data malformed"),
            signature: try Self.bytes(response?.signature, "signature does not verify"),
            userHandle: try response?.userHandle.nonEmpty.map { text throws(PasskeyRefusal) in
                try Self.bytes(text, "user handle of another account")
            })
    }

    /// Whether the client sent only a credential ID, so that there is nothing to verify.
    private var isBare: Bool {
        response == nil && authenticatorAttestationResponse == nil && authenticatorAssertionResponse == nil
    }

    private func credentialID() throws(PasskeyRefusal) -> (id: [UInt8], rawID: [UInt8]?) {
        guard let id = (id.nonEmpty ?? credentialId.nonEmpty).flatMap(Base64.decode), !id.isEmpty else {
            throw .invalidCredentialID
        }
        guard let rawID = rawId.nonEmpty else { return (id, nil) }
        return (id, try Self.bytes(rawID, "wrong credential ID"))
    }

    private static func bytes(_ text: String?, _ reason: String) throws(PasskeyRefusal) -> [UInt8] {
        guard let bytes = text.nonEmpty.flatMap(Base64.decode) else { throw .invalidResponse(reason: reason) }
        return bytes
    }
}

/// The text of a challenge or a user handle, in base64. The text is ASCII and its length is divisible by three, so that
/// its base64 has neither padding nor characters that differ between the two alphabets: clients decode it with either.
func webAuthnBytes(_ text: String) -> String { Base64.encode(Array(text.utf8)) }
