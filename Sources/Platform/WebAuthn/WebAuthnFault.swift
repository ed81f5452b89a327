/// The step of the verification that rejected a response of an authenticator (WebAuthn Level 3 §7.1, §7.2). Does not
/// contain any part of the response, so it may be logged.
public enum WebAuthnFault: Error, Equatable, Sendable, CaseIterable {
    /// A part of the response is longer than its limit.
    case tooLong
    /// The credential ID is empty or has more than 1023 bytes, or `id`, `rawId`, the authenticator data and the stored
    /// passkey do not all have the same.
    case wrongCredentialID
    case userHandleMissing
    case wrongUserHandle
    /// The client data are not strict JSON, or lack a member.
    case clientDataMalformed
    /// The client data belong to another kind of ceremony.
    case wrongType
    case wrongChallenge
    case wrongOrigin
    /// A frame within a page of another origin made the request.
    case crossOrigin
    case wrongTopOrigin
    case attestationObjectMalformed
    case authenticatorDataMalformed
    /// The authenticator data belong to another relying party.
    case wrongRPIDHash
    case userNotPresent
    case userNotVerified
    /// The credential is backed up, although it is not eligible for backup.
    case backedUpButNotEligible
    /// The credential is now eligible for backup, or not any more. It never changes for one credential.
    case backupEligibilityChanged
    case algorithmNotOffered
    case publicKeyInvalid
    case attestationInvalid
    case signatureInvalid
}

extension WebAuthnFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong: "response too long"
        case .wrongCredentialID: "wrong credential ID"
        case .userHandleMissing: "user handle missing"
        case .wrongUserHandle: "user handle of another account"
        case .clientDataMalformed: "client data malformed"
        case .wrongType: "client data of another kind of ceremony"
        case .wrongChallenge: "wrong challenge"
        case .wrongOrigin: "origin not allowed"
        case .crossOrigin: "request of a cross-origin frame"
        case .wrongTopOrigin: "top origin not allowed"
        case .attestationObjectMalformed: "attestation object malformed"
        case .authenticatorDataMalformed: "authenticator data malformed"
        case .wrongRPIDHash: "authenticator data for another relying party"
        case .userNotPresent: "user not present"
        case .userNotVerified: "user not verified"
        case .backedUpButNotEligible: "credential backed up, but not eligible for backup"
        case .backupEligibilityChanged: "eligibility for backup changed"
        case .algorithmNotOffered: "signature algorithm not offered"
        case .publicKeyInvalid: "public key invalid"
        case .attestationInvalid: "attestation invalid"
        case .signatureInvalid: "signature does not verify"
        }
    }
}
