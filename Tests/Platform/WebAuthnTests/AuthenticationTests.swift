import CBOR
import Crypto
import Encoding
import Testing
import WebAuthn
import WebAuthnSupport

/// An honest authentication is accepted; each row changes it in one way.
@Suite("Authentications by passkey")
struct AuthenticationTests {
    static let rpID = "app.example"
    static let origin = "https://app.example"
    static let challenge = Array("challenge of this authentication".utf8)
    static let userHandle = Array("user handle".utf8)
    static let policy = RelyingPartyPolicy(rpID: rpID, origins: [origin])

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// `nil` if the authentication is accepted.
        let fault: WebAuthnFault?
        let change: @Sendable (inout SoftwareAuthenticator) -> Void

        init(
            _ testDescription: String, _ fault: WebAuthnFault?,
            change: @escaping @Sendable (inout SoftwareAuthenticator) -> Void
        ) {
            self.testDescription = testDescription
            self.fault = fault
            self.change = change
        }
    }

    @Test(
        "An authentication is rejected at the first step that it fails",
        arguments: [
            Row("honest", nil) { _ in },
            Row("client data of a registration", .wrongType) { $0.authenticationType = "webauthn.create" },
            Row("another origin", .wrongOrigin) { $0.origin = "https://evil.example" },
            Row("a subdomain", .wrongOrigin) { $0.origin = "https://login.app.example" },
            Row("http", .wrongOrigin) { $0.origin = "http://app.example" },
            Row("a trailing slash", .wrongOrigin) { $0.origin = "https://app.example/" },
            Row("crossOrigin", .crossOrigin) { $0.crossOrigin = true },
            Row("a top origin", .wrongTopOrigin) { $0.topOrigin = "https://evil.example" },
            Row("another relying party", .wrongRPIDHash) { $0.rpID = "evil.example" },
            Row("without user presence", .userNotPresent) { $0.flags.remove(.userPresent) },
            Row("without user verification", .userNotVerified) { $0.flags.remove(.userVerified) },
            Row("backed up, but not eligible", .backedUpButNotEligible) { $0.flags.remove(.backupEligible) },
            Row("not eligible for backup any more", .backupEligibilityChanged) {
                $0.flags.subtract([.backupEligible, .backedUp])
            },
            Row("not backed up any more", nil) { $0.flags.remove(.backedUp) },
            Row("extensions", nil) {
                $0.flags.insert(.extensionData)
                $0.extensionData = CBOREncoder.encode(.map(["a": .integer(1)]))
            },
            Row("the flag of extensions without extensions", .authenticatorDataMalformed) {
                $0.flags.insert(.extensionData)
            },
            Row("a byte after the authenticator data", .authenticatorDataMalformed) { $0.extensionData = [0] },
            Row("a new credential", .authenticatorDataMalformed) {
                $0.flags.insert(.attestedCredentialData)
                $0.extensionData = Array($0.registrationData.dropFirst(37))
            },
            Row("the flag of a new credential without one", .authenticatorDataMalformed) {
                $0.flags.insert(.attestedCredentialData)
            },
        ])
    func steps(row: Row) throws {
        let authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        let passkey = try registered(authenticator)
        var changed = authenticator
        row.change(&changed)
        let authentication = try changed.authenticate(challenge: Self.challenge, userHandle: Self.userHandle)
        #expect(fault(of: authentication, with: passkey) == row.fault)
    }

    @Test("A passkey that was not eligible for backup stays so")
    func becomesEligible() throws {
        var authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        authenticator.flags.subtract([.backupEligible, .backedUp])
        let passkey = try registered(authenticator)
        authenticator.flags.insert(.backupEligible)
        let authentication = try authenticator.authenticate(challenge: Self.challenge, userHandle: Self.userHandle)
        #expect(fault(of: authentication, with: passkey) == .backupEligibilityChanged)
    }

    @Test("Another challenge is rejected")
    func challenge() throws {
        let authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        let passkey = try registered(authenticator)
        for challenge in [[], Array(Self.challenge.dropLast()), Self.challenge + [0]] {
            let authentication = try authenticator.authenticate(challenge: challenge, userHandle: Self.userHandle)
            #expect(fault(of: authentication, with: passkey) == .wrongChallenge)
            #expect(try unverified(authentication).challenge == challenge)
        }
    }

    @Test("The user handle is that of the passkey, and is not missing")
    func userHandle() throws {
        let authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        let passkey = try registered(authenticator)
        var lenient = Self.policy
        lenient.requiresUserHandle = false
        for (userHandle, fault, lenientFault): ([UInt8]?, WebAuthnFault?, WebAuthnFault?) in [
            (Self.userHandle, nil, nil),
            (nil, .userHandleMissing, nil),
            ([], .wrongUserHandle, .wrongUserHandle),
            (Array("another account".utf8), .wrongUserHandle, .wrongUserHandle),
        ] {
            let authentication = try authenticator.authenticate(challenge: Self.challenge, userHandle: userHandle)
            #expect(self.fault(of: authentication, with: passkey) == fault)
            #expect(self.fault(of: authentication, with: passkey, by: lenient) == lenientFault)
        }
    }

    @Test("Another passkey's signature or credential ID is rejected")
    func anotherPasskey() throws {
        let authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        let passkey = try registered(authenticator)
        let other = try SoftwareAuthenticator(
            rpID: Self.rpID, origin: Self.origin, credentialID: authenticator.credentialID)
        #expect(
            fault(
                of: try other.authenticate(challenge: Self.challenge, userHandle: Self.userHandle), with: passkey)
                == .signatureInvalid)

        var authentication = try authenticator.authenticate(challenge: Self.challenge, userHandle: Self.userHandle)
        authentication.signature = []
        #expect(fault(of: authentication, with: passkey) == .signatureInvalid)

        authentication.id[0] ^= 1
        #expect(fault(of: authentication, with: passkey) == .wrongCredentialID)
        #expect(throws: WebAuthnFault.wrongCredentialID) {
            try UnverifiedAuthentication(
                id: [1], rawID: [2], clientDataJSON: authentication.clientDataJSON,
                authenticatorData: authentication.authenticatorData, signature: [], userHandle: nil)
        }
    }

    @Test("A response above the limits is rejected before it is parsed")
    func limits() throws {
        let authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        let honest = try authenticator.authenticate(challenge: Self.challenge, userHandle: Self.userHandle)
        let zeros = [UInt8](repeating: 0, count: 16 * 1024 + 1)
        var authentication = honest
        authentication.authenticatorData = zeros
        #expect(throws: WebAuthnFault.tooLong) { try unverified(authentication) }
        authentication = honest
        authentication.signature = zeros
        #expect(throws: WebAuthnFault.tooLong) { try unverified(authentication) }
        authentication = honest
        authentication.clientDataJSON = zeros
        #expect(throws: WebAuthnFault.tooLong) { try unverified(authentication) }
        for id in [[], [UInt8](repeating: 0, count: 1024)] {
            authentication = honest
            authentication.id = id
            #expect(throws: WebAuthnFault.wrongCredentialID) { try unverified(authentication) }
        }
    }

    struct CounterRow: CustomTestStringConvertible, Sendable {
        let stored: UInt32
        let received: UInt32
        let counter: VerifiedAuthentication.Counter
        let signCount: UInt32
        var testDescription: String { "\(received) after \(stored)" }
    }

    @Test(
        "A counter that did not increase is reported, and does not lower the stored one",
        arguments: [
            CounterRow(stored: 0, received: 0, counter: .unused, signCount: 0),
            CounterRow(stored: 0, received: 1, counter: .increased, signCount: 1),
            CounterRow(stored: 1, received: 2, counter: .increased, signCount: 2),
            CounterRow(stored: 2, received: 2, counter: .notIncreased, signCount: 2),
            CounterRow(stored: 2, received: 1, counter: .notIncreased, signCount: 2),
            CounterRow(stored: 2, received: 0, counter: .notIncreased, signCount: 2),
            CounterRow(stored: .max - 1, received: .max, counter: .increased, signCount: .max),
            CounterRow(stored: .max, received: 0, counter: .notIncreased, signCount: .max),
        ])
    func counter(row: CounterRow) throws {
        var authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        authenticator.signCount = row.stored
        let passkey = try registered(authenticator)
        authenticator.signCount = row.received
        let authentication = try authenticator.authenticate(challenge: Self.challenge, userHandle: Self.userHandle)
        let verified = try unverified(authentication).verified(
            with: passkey, challenge: Self.challenge, by: Self.policy)
        #expect(verified.counter == row.counter)
        #expect(verified.signCount == row.signCount)
        #expect(verified.isUserVerified && verified.isBackedUp)
        #expect(verified.origin == Self.origin)
    }

    /// The passkey as the gateway stores it. The key is decoded again, as from a row.
    private func registered(_ authenticator: SoftwareAuthenticator) throws -> StoredPasskey {
        let registration = try authenticator.register(challenge: Self.challenge)
        let verified = try UnverifiedRegistration(
            id: registration.id, clientDataJSON: registration.clientDataJSON,
            attestationObject: registration.attestationObject
        ).verified(challenge: Self.challenge, by: Self.policy)
        return StoredPasskey(
            credentialID: verified.credentialID, publicKey: try COSEKey(decoding: verified.publicKey.encoded),
            userHandle: Self.userHandle, signCount: verified.signCount, isBackupEligible: verified.isBackupEligible)
    }

    private func unverified(_ authentication: SoftwareAuthenticator.Authentication) throws(WebAuthnFault)
        -> UnverifiedAuthentication
    {
        try UnverifiedAuthentication(
            id: authentication.id, rawID: authentication.id, clientDataJSON: authentication.clientDataJSON,
            authenticatorData: authentication.authenticatorData, signature: authentication.signature,
            userHandle: authentication.userHandle)
    }

    private func fault(
        of authentication: SoftwareAuthenticator.Authentication, with passkey: StoredPasskey,
        by policy: RelyingPartyPolicy = policy
    ) -> WebAuthnFault? {
        WebAuthnTests.fault { () throws(WebAuthnFault) in
            _ = try unverified(authentication).verified(with: passkey, challenge: Self.challenge, by: policy)
        }
    }
}
