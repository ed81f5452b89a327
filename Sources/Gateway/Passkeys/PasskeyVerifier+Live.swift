internal import Encoding
package import Identity
internal import WebAuthn

extension PasskeyVerifier {
    /// Verifies with Platform/WebAuthn.
    static let live = PasskeyVerifier(
        openRegistration: { (response: RegistrationResponse) throws(PasskeyRefusal) -> OpenedRegistration in
            let unverified = try mappingFaults { () throws(WebAuthnFault) in
                try UnverifiedRegistration(
                    id: response.id, rawID: response.rawID, clientDataJSON: response.clientDataJSON,
                    attestationObject: response.attestationObject)
            }
            let challenge = unverified.challenge
            return OpenedRegistration(challenge: challenge) {
                (relyingParty: RelyingParty, isConditional: Bool) throws(PasskeyRefusal) -> Registered in
                let verified = try mappingFaults { () throws(WebAuthnFault) in
                    try unverified.verified(
                        challenge: challenge, by: relyingParty.policy(requiresUser: !isConditional))
                }
                return Registered(
                    publicKey: verified.publicKey.encoded, algorithm: verified.publicKey.algorithm.rawValue,
                    aaguid: UUIDText.text(verified.aaguid), signCount: Int64(verified.signCount),
                    isBackupEligible: verified.isBackupEligible, isBackedUp: verified.isBackedUp)
            }
        },
        openAuthentication: { (response: AuthenticationResponse) throws(PasskeyRefusal) -> OpenedAuthentication in
            let unverified = try mappingFaults { () throws(WebAuthnFault) in
                try UnverifiedAuthentication(
                    id: response.id, rawID: response.rawID, clientDataJSON: response.clientDataJSON,
                    authenticatorData: response.authenticatorData, signature: response.signature,
                    userHandle: response.userHandle)
            }
            let challenge = unverified.challenge
            return OpenedAuthentication(challenge: challenge) {
                (relyingParty: RelyingParty, passkey: NewPasskey) throws(PasskeyRefusal) -> Authenticated in
                let verified = try mappingFaults { () throws(WebAuthnFault) in
                    let stored = StoredPasskey(
                        credentialID: unverified.credentialID, publicKey: try COSEKey(decoding: passkey.publicKey),
                        userHandle: Array(passkey.passkey.userHandle.utf8),
                        signCount: UInt32(clamping: passkey.signCount), isBackupEligible: passkey.isBackupEligible)
                    return try unverified.verified(
                        with: stored, challenge: challenge, by: relyingParty.policy(requiresUser: true))
                }
                return Authenticated(
                    signCount: Int64(verified.signCount), counterFailed: verified.counter == .notIncreased,
                    isBackedUp: verified.isBackedUp)
            }
        })

    /// Returns the number of a COSE key's algorithm; `nil` for a key that a new passkey cannot have.
    @Sendable
    package static func algorithm(of publicKey: [UInt8]) -> Int? {
        guard let key = try? COSEKey(decoding: publicKey), COSEAlgorithm.offered.contains(key.algorithm) else {
            return nil
        }
        return key.algorithm.rawValue
    }

    private static func mappingFaults<Value>(_ body: () throws(WebAuthnFault) -> Value) throws(PasskeyRefusal) -> Value
    {
        do {
            return try body()
        } catch {
            throw .invalidResponse(reason: "\(error)")
        }
    }
}

extension RelyingParty {
    /// - Parameter requiresUser: whether the user must have been present and verified.
    fileprivate func policy(requiresUser: Bool) -> RelyingPartyPolicy {
        RelyingPartyPolicy(
            rpID: id, origins: origins, originsWithAnyPort: portlessOrigins,
            embedding: .onlyIn(topOrigins: topOrigins),
            requiresUserPresence: requiresUser, requiresUserVerification: requiresUser)
    }
}
