internal import Crypto

/// An answer of a passkey as a client sent it, not verified (WebAuthn Level 3 §5.2.2).
public struct UnverifiedAuthentication: Sendable {
    /// In bytes. An RSA signature has 512 bytes.
    private static let maximumSignatureLength = 1024
    /// In bytes. Authenticator data of an authentication have 37 bytes and extension outputs.
    private static let maximumAuthenticatorDataLength = 16 * 1024

    /// Selects the stored passkey. Not verified.
    public let credentialID: [UInt8]
    private let clientData: ClientData
    private let authenticatorData: [UInt8]
    private let signature: [UInt8]
    private let userHandle: [UInt8]?

    /// - Parameters:
    ///   - id: the member `id`, decoded.
    ///   - rawID: the member `rawId`, decoded; `nil` if the client did not send it.
    ///   - userHandle: `nil` if the authenticator did not return it.
    public init(
        id: [UInt8], rawID: [UInt8]? = nil, clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8],
        userHandle: [UInt8]?
    ) throws(WebAuthnFault) {
        credentialID = try CredentialID.checked(id, rawID: rawID)
        clientData = try ClientData(parsing: clientDataJSON)
        guard
            authenticatorData.count <= Self.maximumAuthenticatorDataLength,
            signature.count <= Self.maximumSignatureLength
        else { throw .tooLong }
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }

    /// The challenge that the client answers. Not verified: the caller must check that it issued this challenge for
    /// this ceremony before it passes the challenge to ``verified(with:challenge:by:)``.
    public var challenge: [UInt8] { clientData.challenge }

    /// Verifies the response in the order of WebAuthn Level 3 §7.2. A counter that did not increase is no error (step
    /// 22); see ``VerifiedAuthentication/counter``.
    ///
    /// - Parameters:
    ///   - passkey: the stored passkey with the ID ``credentialID``.
    ///   - challenge: the challenge that the gateway issued for this ceremony.
    public func verified(with passkey: StoredPasskey, challenge: [UInt8], by policy: RelyingPartyPolicy)
        throws(WebAuthnFault) -> VerifiedAuthentication
    {
        guard credentialID == passkey.credentialID else { throw .wrongCredentialID }
        if let userHandle {
            guard constantTimeEquals(userHandle, passkey.userHandle) else { throw .wrongUserHandle }
        } else if policy.requiresUserHandle {
            throw .userHandleMissing
        }
        try clientData.check(.authentication, challenge: challenge, by: policy)
        let data = try AuthenticatorData(parsing: authenticatorData)
        guard data.credential == nil else { throw .authenticatorDataMalformed }
        try data.check(by: policy)
        guard data.flags.contains(.backupEligible) == passkey.isBackupEligible else { throw .backupEligibilityChanged }
        guard passkey.publicKey.verifies(signature, of: authenticatorData + clientData.digest) else {
            throw .signatureInvalid
        }
        let counter = VerifiedAuthentication.Counter(data.signCount, after: passkey.signCount)
        return VerifiedAuthentication(
            signCount: max(data.signCount, passkey.signCount), counter: counter,
            isUserVerified: data.flags.contains(.userVerified), isBackedUp: data.flags.contains(.backedUp),
            origin: clientData.origin)
    }
}

/// What the gateway stored about a passkey when it was registered or last used.
public struct StoredPasskey: Sendable {
    public let credentialID: [UInt8]
    public let publicKey: COSEKey
    public let userHandle: [UInt8]
    public let signCount: UInt32
    public let isBackupEligible: Bool

    public init(
        credentialID: [UInt8], publicKey: COSEKey, userHandle: [UInt8], signCount: UInt32, isBackupEligible: Bool
    ) {
        self.credentialID = credentialID
        self.publicKey = publicKey
        self.userHandle = userHandle
        self.signCount = signCount
        self.isBackupEligible = isBackupEligible
    }
}

/// Proof that a passkey answered the gateway's challenge.
public struct VerifiedAuthentication: Sendable, Equatable {
    /// The signature counter of the response, compared with the stored one (WebAuthn Level 3 §6.1.1).
    public enum Counter: Sendable {
        /// The authenticator does not count.
        case unused
        case increased
        /// The authenticator may have been copied, or two of its responses arrived in another order.
        case notIncreased
    }

    /// The counter to store; never below the one that was stored before.
    public let signCount: UInt32
    public let counter: Counter
    public let isUserVerified: Bool
    public let isBackedUp: Bool
    public let origin: String
}

extension VerifiedAuthentication.Counter {
    init(_ count: UInt32, after stored: UInt32) {
        self = count > stored ? .increased : count == 0 && stored == 0 ? .unused : .notIncreased
    }
}
