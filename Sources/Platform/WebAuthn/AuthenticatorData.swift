internal import CBOR
internal import Crypto

/// What the authenticator says about a ceremony (WebAuthn Level 3 §6.1).
struct AuthenticatorData: Sendable {
    struct Flags: OptionSet {
        let rawValue: UInt8

        static let userPresent = Flags(rawValue: 1 << 0)
        static let userVerified = Flags(rawValue: 1 << 2)
        static let backupEligible = Flags(rawValue: 1 << 3)
        static let backedUp = Flags(rawValue: 1 << 4)
        static let attestedCredentialData = Flags(rawValue: 1 << 6)
        static let extensionData = Flags(rawValue: 1 << 7)
    }

    /// The new credential of a registration (§6.5.2).
    struct AttestedCredential: Sendable {
        let aaguid: [UInt8]
        let id: [UInt8]
        /// A COSE key: the bytes, and the map that they encode.
        let encodedKey: [UInt8]
        let key: [CBORKey: CBORValue]
    }

    let rpIDHash: [UInt8]
    let flags: Flags
    let signCount: UInt32
    /// `nil` unless the flags say that it is present.
    let credential: AttestedCredential?

    /// Parses exactly the parts that the flags announce. Extension outputs are checked for their form and ignored.
    init(parsing bytes: [UInt8]) throws(WebAuthnFault) {
        var rest = bytes[...]
        rpIDHash = try Self.take(32, from: &rest)
        flags = Flags(rawValue: try Self.take(1, from: &rest)[0])
        signCount = try Self.take(4, from: &rest).reduce(0) { $0 << 8 | UInt32($1) }
        credential = flags.contains(.attestedCredentialData) ? try AttestedCredential(parsing: &rest) : nil
        if flags.contains(.extensionData) { _ = try Self.takeMap(from: &rest) }
        guard rest.isEmpty else { throw .authenticatorDataMalformed }
    }

    /// The steps about the relying party, the user and the backup state that both ceremonies have.
    func check(by policy: RelyingPartyPolicy) throws(WebAuthnFault) {
        guard rpIDHash == Digest.sha256(Array(policy.rpID.utf8)) else { throw .wrongRPIDHash }
        guard flags.contains(.userPresent) || !policy.requiresUserPresence else { throw .userNotPresent }
        guard flags.contains(.userVerified) || !policy.requiresUserVerification else { throw .userNotVerified }
        guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else { throw .backedUpButNotEligible }
    }

    fileprivate static func take(_ count: Int, from rest: inout ArraySlice<UInt8>) throws(WebAuthnFault) -> [UInt8] {
        guard rest.count >= count else { throw .authenticatorDataMalformed }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    fileprivate static func takeMap(from rest: inout ArraySlice<UInt8>) throws(WebAuthnFault)
        -> (encoded: [UInt8], map: [CBORKey: CBORValue])
    {
        // The fault of the decoder does not matter: the step that failed is logged, and no part of the response.
        guard let (value, count) = try? CBOR.decodePrefix(of: rest), case .map(let map) = value else {
            throw .authenticatorDataMalformed
        }
        return (try take(count, from: &rest), map)
    }
}

extension AuthenticatorData.AttestedCredential {
    init(parsing rest: inout ArraySlice<UInt8>) throws(WebAuthnFault) {
        aaguid = try AuthenticatorData.take(16, from: &rest)
        let length = try AuthenticatorData.take(2, from: &rest)
        id = try AuthenticatorData.take(Int(length[0]) << 8 | Int(length[1]), from: &rest)
        (encodedKey, key) = try AuthenticatorData.takeMap(from: &rest)
    }
}
