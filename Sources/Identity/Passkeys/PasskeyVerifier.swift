/// The response of an authenticator that has created a passkey, as the client sent it.
public struct RegistrationResponse: Sendable {
    public let id: [UInt8]
    public let rawID: [UInt8]?
    public let clientDataJSON: [UInt8]
    public let attestationObject: [UInt8]
    public let transports: [String]

    public init(
        id: [UInt8], rawID: [UInt8]?, clientDataJSON: [UInt8], attestationObject: [UInt8], transports: [String]
    ) {
        self.id = id
        self.rawID = rawID
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.transports = transports
    }
}

/// The response of an authenticator that has signed with a passkey, as the client sent it.
public struct AuthenticationResponse: Sendable {
    public let id: [UInt8]
    public let rawID: [UInt8]?
    public let clientDataJSON: [UInt8]
    public let authenticatorData: [UInt8]
    public let signature: [UInt8]
    public let userHandle: [UInt8]?

    public init(
        id: [UInt8], rawID: [UInt8]?, clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8],
        userHandle: [UInt8]?
    ) {
        self.id = id
        self.rawID = rawID
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }
}

/// Verifies the ceremonies of passkeys (WebAuthn Level 3 §7). Throws ``PasskeyRefusal/invalidResponse(reason:)``.
public struct PasskeyVerifier: Sendable {
    /// A response of a registration, whose challenge the gateway checks before it verifies everything.
    public struct OpenedRegistration: Sendable {
        /// Not verified.
        public let challenge: [UInt8]
        /// - Parameter isConditional: whether the user may have confirmed nothing; see
        ///   ``PasskeyChallenges/Kind/conditionalEnrolment``.
        public let verify: @Sendable (RelyingParty, _ isConditional: Bool) throws(PasskeyRefusal) -> Registered

        public init(
            challenge: [UInt8],
            verify: @escaping @Sendable (RelyingParty, Bool) throws(PasskeyRefusal) -> Registered
        ) {
            self.challenge = challenge
            self.verify = verify
        }
    }

    /// A response of a sign-in, whose challenge the gateway checks before it verifies everything.
    public struct OpenedAuthentication: Sendable {
        /// Not verified.
        public let challenge: [UInt8]
        public let verify: @Sendable (RelyingParty, NewPasskey) throws(PasskeyRefusal) -> Authenticated

        public init(
            challenge: [UInt8],
            verify: @escaping @Sendable (RelyingParty, NewPasskey) throws(PasskeyRefusal) -> Authenticated
        ) {
            self.challenge = challenge
            self.verify = verify
        }
    }

    /// A public key that an authenticator has created.
    public struct Registered: Sendable {
        /// A COSE key.
        public let publicKey: [UInt8]
        public let algorithm: Int
        /// See ``Passkey/aaguid``.
        public let aaguid: String
        public let signCount: Int64
        public let isBackupEligible: Bool
        public let isBackedUp: Bool

        public init(
            publicKey: [UInt8], algorithm: Int, aaguid: String, signCount: Int64, isBackupEligible: Bool,
            isBackedUp: Bool
        ) {
            self.publicKey = publicKey
            self.algorithm = algorithm
            self.aaguid = aaguid
            self.signCount = signCount
            self.isBackupEligible = isBackupEligible
            self.isBackedUp = isBackedUp
        }
    }

    /// The state of a passkey after a sign-in.
    public struct Authenticated: Sendable {
        /// Never lower than the stored one.
        public let signCount: Int64
        /// Whether the authenticator's counter was not above the stored one: the passkey may have been copied.
        public let counterFailed: Bool
        public let isBackedUp: Bool

        public init(signCount: Int64, counterFailed: Bool, isBackedUp: Bool) {
            self.signCount = signCount
            self.counterFailed = counterFailed
            self.isBackedUp = isBackedUp
        }
    }

    public var openRegistration: @Sendable (RegistrationResponse) throws(PasskeyRefusal) -> OpenedRegistration
    public var openAuthentication: @Sendable (AuthenticationResponse) throws(PasskeyRefusal) -> OpenedAuthentication

    public init(
        openRegistration: @escaping @Sendable (RegistrationResponse) throws(PasskeyRefusal) -> OpenedRegistration,
        openAuthentication:
            @escaping @Sendable (AuthenticationResponse) throws(PasskeyRefusal) -> OpenedAuthentication
    ) {
        self.openRegistration = openRegistration
        self.openAuthentication = openAuthentication
    }
}
