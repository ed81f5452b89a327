/// A new passkey as a client sent it, not verified (WebAuthn Level 3 §5.2.1).
public struct UnverifiedRegistration: Sendable {
    private let credentialID: [UInt8]
    private let clientData: ClientData
    private let attestationObject: [UInt8]

    /// - Parameters:
    ///   - id: the member `id`, decoded.
    ///   - rawID: the member `rawId`, decoded; `nil` if the client did not send it.
    ///   - attestationObject: at most 16 KiB.
    public init(id: [UInt8], rawID: [UInt8]? = nil, clientDataJSON: [UInt8], attestationObject: [UInt8])
        throws(WebAuthnFault)
    {
        credentialID = try CredentialID.checked(id, rawID: rawID)
        clientData = try ClientData(parsing: clientDataJSON)
        self.attestationObject = attestationObject
    }

    /// The challenge that the client answers. Not verified: the caller must check that it issued this challenge for
    /// this ceremony before it passes the challenge to ``verified(challenge:by:)``.
    public var challenge: [UInt8] { clientData.challenge }

    /// Verifies the response in the order of WebAuthn Level 3 §7.1. The caller checks afterwards that the credential ID
    /// is new.
    ///
    /// - Parameter challenge: the challenge that the gateway issued for this ceremony.
    public func verified(challenge: [UInt8], by policy: RelyingPartyPolicy) throws(WebAuthnFault)
        -> VerifiedRegistration
    {
        try clientData.check(.registration, challenge: challenge, by: policy)
        let object = try AttestationObject(parsing: attestationObject)
        let data = try AuthenticatorData(parsing: object.authenticatorData)
        guard let credential = data.credential else { throw .authenticatorDataMalformed }
        try data.check(by: policy)
        let algorithm = try COSEKey.algorithm(of: credential.key)
        guard policy.algorithms.contains(algorithm) else { throw .algorithmNotOffered }
        let key = try COSEKey(encoded: credential.encodedKey, map: credential.key, algorithm: algorithm)
        let attestation = try object.verify(with: key, clientDataDigest: clientData.digest)
        guard credential.id == credentialID else { throw .wrongCredentialID }
        return VerifiedRegistration(
            credentialID: credentialID, publicKey: key, aaguid: credential.aaguid, signCount: data.signCount,
            isUserPresent: data.flags.contains(.userPresent), isUserVerified: data.flags.contains(.userVerified),
            isBackupEligible: data.flags.contains(.backupEligible), isBackedUp: data.flags.contains(.backedUp),
            attestation: attestation, origin: clientData.origin)
    }
}

/// A new passkey whose authenticator and client answered the gateway's challenge.
public struct VerifiedRegistration: Sendable, Equatable {
    /// 1 to 1023 bytes.
    public let credentialID: [UInt8]
    public let publicKey: COSEKey
    /// The model of the authenticator, 16 bytes; zeros if it does not say its model. Unproven unless attested.
    public let aaguid: [UInt8]
    /// 0 if the authenticator does not count.
    public let signCount: UInt32
    public let isUserPresent: Bool
    public let isUserVerified: Bool
    /// Whether the passkey can be synchronised between devices. It never changes.
    public let isBackupEligible: Bool
    public let isBackedUp: Bool
    public let attestation: Attestation
    public let origin: String
}

enum CredentialID {
    /// - Parameters:
    ///   - id: the member `id` of a response, decoded.
    ///   - rawID: the member `rawId`, decoded; `nil` if the client did not send it.
    static func checked(_ id: [UInt8], rawID: [UInt8]?) throws(WebAuthnFault) -> [UInt8] {
        guard (1...1023).contains(id.count), rawID == nil || rawID == id else { throw .wrongCredentialID }
        return id
    }
}
