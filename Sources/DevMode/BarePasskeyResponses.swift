internal import Crypto
internal import Identity

/// Accepts responses that contain only a credential ID, as Firebase's emulator does. Nothing in them can be verified.
/// Every other response is verified as in `serve`, which cannot use this type.
struct BarePasskeyResponses: Sendable {
    /// The maximum length of a credential ID in bytes (WebAuthn Level 3 §4).
    private static let maximumIDLength = 1023

    /// The prefix of the challenge that an accepted response gets. No client knows it, so no challenge in a verified
    /// response begins with it.
    private let mark = Random.bytes(32)

    /// Returns a verifier and challenges that also accept bare responses to enrolments and sign-ins.
    func accepting(
        _ verifier: PasskeyVerifier, _ challenges: PasskeyChallenges, _ clock: WallClock
    ) -> (PasskeyVerifier, PasskeyChallenges) {
        (accepting(verifier), accepting(challenges, clock))
    }

    private func accepting(_ verifier: PasskeyVerifier) -> PasskeyVerifier {
        PasskeyVerifier(
            openRegistration: {
                (response: RegistrationResponse) throws(PasskeyRefusal) -> PasskeyVerifier.OpenedRegistration in
                guard response.isBare else { return try verifier.openRegistration(response) }
                return PasskeyVerifier.OpenedRegistration(
                    challenge: try challenge(of: .enrolment, with: response.id),
                    refusalIfTaken: EmulatorPasskeyRefusal.taken
                ) { (_: RelyingParty, _: Bool) throws(PasskeyRefusal) -> PasskeyVerifier.Registered in
                    // No signature verifies with an empty key.
                    PasskeyVerifier.Registered(
                        publicKey: [], algorithm: 0, aaguid: "00000000-0000-0000-0000-000000000000", signCount: 0,
                        isBackupEligible: false, isBackedUp: false, defaultName: "Unnamed Passkey")
                }
            },
            openAuthentication: {
                (response: AuthenticationResponse) throws(PasskeyRefusal) -> PasskeyVerifier.OpenedAuthentication in
                guard response.isBare else { return try verifier.openAuthentication(response) }
                return PasskeyVerifier.OpenedAuthentication(
                    challenge: try challenge(of: .signIn, with: response.id),
                    refusalIfUnknown: EmulatorPasskeyRefusal.unknown
                ) { (_: RelyingParty, stored: NewPasskey) throws(PasskeyRefusal) -> PasskeyVerifier.Authenticated in
                    PasskeyVerifier.Authenticated(
                        signCount: stored.signCount, counterFailed: false, isBackedUp: stored.passkey.isBackedUp)
                }
            })
    }

    private func accepting(_ challenges: PasskeyChallenges, _ clock: WallClock) -> PasskeyChallenges {
        var accepting = challenges
        accepting.read = { challenge, binding in
            guard challenge.starts(with: mark) else { return challenges.read(challenge, binding) }
            return challenge.dropFirst(mark.count).first.flatMap(PasskeyChallenges.Kind.init(rawValue:)).map {
                PasskeyChallenges.Content(
                    kind: $0,
                    replayKey: ReplayKey(
                        hash: Digest.sha256(challenge), expiresAt: clock.now() + PasskeyChallenges.lifetime),
                    signUpHandle: "")
            }
        }
        return accepting
    }

    private func challenge(
        of kind: PasskeyChallenges.Kind, with id: [UInt8]
    ) throws(PasskeyRefusal) -> [UInt8] {
        guard id.count <= Self.maximumIDLength else { throw .invalidCredentialID }
        return mark + [kind.rawValue] + Random.bytes(16)
    }
}

/// Why a bare response was rejected. The messages are those of Firebase's emulator.
private enum EmulatorPasskeyRefusal: Refusal {
    case taken
    case unknown

    var code: ErrorCode {
        switch self {
        case .taken: .passkeyExists
        case .unknown: .passkeyEnrollmentNotFound
        }
    }

    var message: String {
        switch self {
        case .taken: "CREDENTIAL_ALREADY_IN_USE"
        case .unknown: "PASSKEY_CREDENTIAL_NOT_FOUND"
        }
    }
}
