/// The response of an authenticator that has created a passkey, as the client sent it.
public struct RegistrationResponse: Sendable {
    public let id: [UInt8]
    public let rawID: [UInt8]?
    public let clientDataJSON: [UInt8]
    public let attestationObject: [UInt8]
    public let transports: [String]
    /// Whether the response contains only a credential ID, as test suites of apps send it. The other members are then
    /// empty, so that no verification succeeds.
    public let isBare: Bool

    public init(
        id: [UInt8], rawID: [UInt8]?, clientDataJSON: [UInt8], attestationObject: [UInt8], transports: [String]
    ) {
        self.id = id
        self.rawID = rawID
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.transports = transports
        isBare = false
    }

    /// A response that contains only a credential ID.
    public init(bareID id: [UInt8]) {
        self.id = id
        rawID = nil
        clientDataJSON = []
        attestationObject = []
        transports = []
        isBare = true
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
    /// See ``RegistrationResponse/isBare``.
    public let isBare: Bool

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
        isBare = false
    }

    /// A response that contains only a credential ID.
    public init(bareID id: [UInt8]) {
        self.id = id
        rawID = nil
        clientDataJSON = []
        authenticatorData = []
        signature = []
        userHandle = nil
        isBare = true
    }
}

/// Verifies the ceremonies of passkeys (WebAuthn Level 3 §7). Throws ``PasskeyRefusal/invalidResponse(reason:)``.
public struct PasskeyVerifier: Sendable {
    /// A response of a registration, whose challenge the gateway checks before it verifies everything.
    public struct OpenedRegistration: Sendable {
        /// Not verified.
        public let challenge: [UInt8]
        /// The error if a passkey has the credential ID.
        public let refusalIfTaken: any Refusal
        /// - Parameter isConditional: whether the user may have confirmed nothing; see
        ///   ``PasskeyChallenges/Kind/conditionalEnrolment``.
        public let verify: @Sendable (RelyingParty, _ isConditional: Bool) throws(PasskeyRefusal) -> Registered

        public init(
            challenge: [UInt8], refusalIfTaken: any Refusal = PasskeyRefusal.exists,
            verify: @escaping @Sendable (RelyingParty, Bool) throws(PasskeyRefusal) -> Registered
        ) {
            self.challenge = challenge
            self.refusalIfTaken = refusalIfTaken
            self.verify = verify
        }
    }

    /// A response of a sign-in, whose challenge the gateway checks before it verifies everything.
    public struct OpenedAuthentication: Sendable {
        /// Not verified.
        public let challenge: [UInt8]
        /// The error if no passkey has the credential ID.
        public let refusalIfUnknown: any Refusal
        public let verify: @Sendable (RelyingParty, NewPasskey) throws(PasskeyRefusal) -> Authenticated

        public init(
            challenge: [UInt8], refusalIfUnknown: any Refusal = PasskeyRefusal.unknown,
            verify: @escaping @Sendable (RelyingParty, NewPasskey) throws(PasskeyRefusal) -> Authenticated
        ) {
            self.challenge = challenge
            self.refusalIfUnknown = refusalIfUnknown
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
        /// The name of the passkey if the user gives none; `nil` for that of its password manager.
        public let defaultName: String?

        public init(
            publicKey: [UInt8], algorithm: Int, aaguid: String, signCount: Int64, isBackupEligible: Bool,
            isBackedUp: Bool, defaultName: String? = nil
        ) {
            self.publicKey = publicKey
            self.algorithm = algorithm
            self.aaguid = aaguid
            self.signCount = signCount
            self.isBackupEligible = isBackupEligible
            self.isBackedUp = isBackedUp
            self.defaultName = defaultName
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
