import CBOR
import Crypto
import Encoding
import Testing
import WebAuthn
import WebAuthnSupport

/// An honest registration is accepted; each row changes it in one way.
@Suite("Registrations of passkeys")
struct RegistrationTests {
    static let rpID = "app.example"
    static let origin = "https://app.example"
    static let challenge = Array("challenge of this registration".utf8)
    static let policy = RelyingPartyPolicy(rpID: rpID, origins: [origin, "android:apk-key-hash:abc"])
    /// The policy of conditional creation.
    static let conditional = RelyingPartyPolicy(
        rpID: rpID, origins: [origin], requiresUserPresence: false, requiresUserVerification: false)

    static let umlaut = RelyingPartyPolicy(rpID: rpID, origins: ["https://b\u{FC}cher.example"])

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// `nil` if the registration is accepted.
        let fault: WebAuthnFault?
        var policy = RegistrationTests.policy
        let change: @Sendable (inout SoftwareAuthenticator) -> Void

        init(
            _ testDescription: String, _ fault: WebAuthnFault?, policy: RelyingPartyPolicy = RegistrationTests.policy,
            change: @escaping @Sendable (inout SoftwareAuthenticator) -> Void
        ) {
            self.testDescription = testDescription
            self.fault = fault
            self.policy = policy
            self.change = change
        }
    }

    static let origins: [Row] = [
        Row("the origin", nil) { $0.origin = origin },
        Row("another origin of the list", nil) { $0.origin = "android:apk-key-hash:abc" },
        Row("another origin", .wrongOrigin) { $0.origin = "https://evil.example" },
        Row("a subdomain", .wrongOrigin) { $0.origin = "https://login.app.example" },
        Row("the parent domain", .wrongOrigin) { $0.origin = "https://example" },
        Row("a domain that ends alike", .wrongOrigin) { $0.origin = "https://evilapp.example" },
        Row("a domain that begins alike", .wrongOrigin) { $0.origin = "https://app.example.evil.test" },
        Row("http", .wrongOrigin) { $0.origin = "http://app.example" },
        Row("a trailing slash", .wrongOrigin) { $0.origin = "https://app.example/" },
        Row("a trailing dot", .wrongOrigin) { $0.origin = "https://app.example." },
        Row("a port", .wrongOrigin) { $0.origin = "https://app.example:8443" },
        Row("the default port", .wrongOrigin) { $0.origin = "https://app.example:443" },
        Row("user information", .wrongOrigin) { $0.origin = "https://app.example@evil.example" },
        Row("upper case", .wrongOrigin) { $0.origin = "https://APP.example" },
        Row("a canonically equivalent origin", .wrongOrigin, policy: umlaut) {
            $0.origin = "https://bu\u{308}cher.example"
        },
        Row("an empty origin", .wrongOrigin) { $0.origin = "" },
        Row("null", .wrongOrigin) { $0.origin = "null" },
        Row("another app of Android", .wrongOrigin) { $0.origin = "android:apk-key-hash:abd" },
    ]

    static let localhost = RelyingPartyPolicy(rpID: rpID, origins: [], originsWithAnyPort: ["http://localhost"])

    static let ports: [Row] = [
        Row("no port", nil, policy: localhost) { $0.origin = "http://localhost" },
        Row("a port", nil, policy: localhost) { $0.origin = "http://localhost:5173" },
        Row("an empty port", .wrongOrigin, policy: localhost) { $0.origin = "http://localhost:" },
        Row("a port of six digits", .wrongOrigin, policy: localhost) { $0.origin = "http://localhost:123456" },
        Row("a port that is not a number", .wrongOrigin, policy: localhost) { $0.origin = "http://localhost:80a" },
        Row("user information before the host", .wrongOrigin, policy: localhost) {
            $0.origin = "http://localhost:1@evil.example"
        },
        Row("a path", .wrongOrigin, policy: localhost) { $0.origin = "http://localhost:80/" },
        Row("another host", .wrongOrigin, policy: localhost) { $0.origin = "http://localhost.evil.example:80" },
        Row("https", .wrongOrigin, policy: localhost) { $0.origin = "https://localhost:80" },
    ]

    static let embedded = RelyingPartyPolicy(
        rpID: rpID, origins: [origin], embedding: .onlyIn(topOrigins: ["https://shop.example"]))

    static let frames: [Row] = [
        Row("crossOrigin is missing", nil) { $0.crossOrigin = nil },
        Row("crossOrigin", .crossOrigin) { $0.crossOrigin = true },
        Row("a top origin", .wrongTopOrigin) {
            $0.crossOrigin = true
            $0.topOrigin = "https://shop.example"
        },
        Row("the page's own origin as top origin, not listed", .wrongTopOrigin) { $0.topOrigin = origin },
        Row("a permitted top origin", nil, policy: embedded) {
            $0.crossOrigin = true
            $0.topOrigin = "https://shop.example"
        },
        Row("another top origin than the permitted one", .wrongTopOrigin, policy: embedded) {
            $0.crossOrigin = true
            $0.topOrigin = "https://shop.example.evil.test"
        },
        Row("another top origin without crossOrigin", .wrongTopOrigin, policy: embedded) {
            $0.crossOrigin = false
            $0.topOrigin = "https://evil.example"
        },
        Row("crossOrigin without a top origin", .crossOrigin, policy: embedded) { $0.crossOrigin = true },
    ]

    static let ceremonies: [Row] = [
        Row("client data of an authentication", .wrongType) { $0.registrationType = "webauthn.get" },
        Row("client data of a payment", .wrongType) { $0.registrationType = "payment.get" },
        Row("no type", .wrongType) { $0.registrationType = "" },
        Row("another relying party", .wrongRPIDHash) { $0.rpID = "evil.example" },
        Row("the relying party of a subdomain", .wrongRPIDHash) { $0.rpID = "login.app.example" },
    ]

    static let flags: [Row] = [
        Row("without user presence", .userNotPresent) { $0.flags.remove(.userPresent) },
        Row("without user verification", .userNotVerified) { $0.flags.remove(.userVerified) },
        Row("conditional, without both", nil, policy: conditional) {
            $0.flags.subtract([.userPresent, .userVerified])
        },
        Row("conditional, for another relying party", .wrongRPIDHash, policy: conditional) {
            $0.rpID = "evil.example"
        },
        Row("eligible, but not backed up", nil) { $0.flags.remove(.backedUp) },
        Row("neither eligible nor backed up", nil) { $0.flags.subtract([.backedUp, .backupEligible]) },
        Row("backed up, but not eligible", .backedUpButNotEligible) { $0.flags.remove(.backupEligible) },
        Row("reserved flags", nil) { $0.flags.formUnion(.init(rawValue: 0b10_0010)) },
    ]

    static let parts: [Row] = [
        Row("extensions", nil) {
            $0.flags.insert(.extensionData)
            $0.extensionData = CBOREncoder.encode(.map(["credProtect": .integer(2)]))
        },
        Row("the flag of extensions without extensions", .authenticatorDataMalformed) {
            $0.flags.insert(.extensionData)
        },
        Row("extensions without the flag", .authenticatorDataMalformed) {
            $0.extensionData = CBOREncoder.encode(.map([:]))
        },
        Row("extensions that are not a map", .authenticatorDataMalformed) {
            $0.flags.insert(.extensionData)
            $0.extensionData = CBOREncoder.encode(.integer(1))
        },
        Row("extensions with a duplicate name", .authenticatorDataMalformed) {
            $0.flags.insert(.extensionData)
            $0.extensionData = [0xA2, 0x61, 0x61, 0, 0x61, 0x61, 0]
        },
        Row("a byte after the extensions", .authenticatorDataMalformed) {
            $0.flags.insert(.extensionData)
            $0.extensionData = CBOREncoder.encode(.map([:])) + [0]
        },
        Row("a key that is not a map", .authenticatorDataMalformed) { $0.publicKey = .bytes([1]) },
        Row("a credential ID of 1 byte", nil) { $0.credentialID = [1] },
        Row("a credential ID of 1023 bytes", nil) { $0.credentialID = [UInt8](repeating: 1, count: 1023) },
        Row("a credential ID of 1024 bytes", .wrongCredentialID) {
            $0.credentialID = [UInt8](repeating: 1, count: 1024)
        },
        Row("no credential ID", .wrongCredentialID) { $0.credentialID = [] },
    ]

    static let statements: [Row] = [
        Row("self attestation", nil) { $0.statement = .selfAttested },
        Row("none with a statement", .attestationInvalid) {
            $0.statement = .other(format: "none", .map(["sig": .bytes([])]))
        },
        Row("none with another value as statement", .attestationInvalid) {
            $0.statement = .other(format: "none", .array([]))
        },
        Row("packed without signature", .attestationInvalid) {
            $0.statement = .other(format: "packed", .map(["alg": .integer(-7)]))
        },
        Row("packed with an empty signature", .attestationInvalid) {
            $0.statement = .other(format: "packed", .map(["alg": .integer(-7), "sig": .bytes([])]))
        },
        Row("packed with an unknown member", .attestationInvalid) {
            $0.statement = .other(
                format: "packed", .map(["alg": .integer(-7), "sig": .bytes([]), "ecdaaKeyId": .bytes([1])]))
        },
        Row("packed that is not a map", .attestationInvalid) {
            $0.statement = .other(format: "packed", .array([]))
        },
        Row("packed with a certificate, which is not parsed", nil) {
            $0.statement = .other(
                format: "packed",
                .map(["alg": .integer(-7), "sig": .bytes([]), "x5c": .array([.bytes([1])])]))
        },
        Row("another format, which is not parsed", nil) {
            $0.statement = .other(format: "tpm", .map(["ver": .text("2.0")]))
        },
        Row("a compound statement", nil) {
            $0.statement = .other(
                format: "compound",
                .array([.map(["fmt": .text("tpm"), "attStmt": .map(["x5c": .array([.bytes([1])])])])]))
        },
    ]

    @Test("The origin is compared as bytes", arguments: origins + ports)
    func originRule(row: Row) throws { try expect(row) }

    @Test("Only permitted pages can embed the page that makes the request", arguments: frames)
    func frameRule(row: Row) throws { try expect(row) }

    @Test("The response belongs to this kind of ceremony and this relying party", arguments: ceremonies)
    func ceremonyRule(row: Row) throws { try expect(row) }

    @Test("The flags are checked", arguments: flags)
    func flagRule(row: Row) throws { try expect(row) }

    @Test("The authenticator data has exactly the announced parts", arguments: parts)
    func partRule(row: Row) throws { try expect(row) }

    @Test("Attestation is verified without certificates", arguments: statements)
    func statementRule(row: Row) throws { try expect(row) }

    private func expect(_ row: Row) throws {
        var authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        row.change(&authenticator)
        let registration = try authenticator.register(challenge: Self.challenge)
        #expect(fault(of: registration, by: row.policy) == row.fault)
    }

    @Test("An honest registration says what the authenticator said")
    func honest() throws {
        var authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        authenticator.signCount = 0x0102_0304
        authenticator.aaguid = Array(0..<16)
        authenticator.statement = .selfAttested
        let verified = try verify(authenticator.register(challenge: Self.challenge))
        #expect(verified.credentialID == authenticator.credentialID)
        #expect(verified.publicKey.algorithm == .es256)
        #expect(verified.publicKey.encoded == CBOREncoder.encode(authenticator.publicKey))
        #expect(verified.aaguid == Array(0..<16))
        #expect(verified.signCount == 0x0102_0304)
        #expect(verified.isUserPresent && verified.isUserVerified && verified.isBackupEligible && verified.isBackedUp)
        #expect(verified.attestation == .selfAttested)
        #expect(verified.origin == Self.origin)
    }

    @Test("A self attestation with another key, other data or another algorithm is rejected")
    func selfAttestation() throws {
        var authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        authenticator.statement = .selfAttested
        var registration = try authenticator.register(challenge: Self.challenge)
        // The member `crossOrigin` may be missing, so this client data would be accepted if they were not signed.
        registration.clientDataJSON.insert(UInt8(ascii: " "), at: 1)
        #expect(fault(of: registration) == .attestationInvalid)

        let other = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        authenticator.publicKey = other.publicKey
        #expect(fault(of: try authenticator.register(challenge: Self.challenge)) == .attestationInvalid)
    }

    @Test("Another challenge is rejected")
    func challenge() throws {
        let authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        for challenge in [[], Array(Self.challenge.dropLast()), Self.challenge + [0], Array(Self.challenge.reversed())]
        {
            let registration = try authenticator.register(challenge: challenge)
            #expect(fault(of: registration) == .wrongChallenge)
            #expect(try unverified(registration).challenge == challenge)
        }
    }

    @Test("The credential ID is the same everywhere")
    func credentialID() throws {
        let authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        var registration = try authenticator.register(challenge: Self.challenge)
        #expect(throws: WebAuthnFault.wrongCredentialID) {
            try UnverifiedRegistration(
                id: registration.id, rawID: registration.id + [0], clientDataJSON: registration.clientDataJSON,
                attestationObject: registration.attestationObject)
        }
        registration.id[0] ^= 1
        #expect(fault(of: registration) == .wrongCredentialID)
    }

    @Test("An attestation object without a member, with bytes after it or above the limit is rejected")
    func attestationObject() throws {
        let authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        let honest = try authenticator.register(challenge: Self.challenge)
        let members = try #require(try CBOR.decode(honest.attestationObject).map)
        func expect(_ object: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
            var registration = honest
            registration.attestationObject = object
            #expect(fault(of: registration) == .attestationObjectMalformed, sourceLocation: sourceLocation)
        }
        for name in members.keys {
            expect(CBOREncoder.encode(.map(members.filter { $0.key != name })))
            // The statement's type depends on the format.
            if name != "attStmt" { expect(CBOREncoder.encode(.map(members.merging([name: .integer(1)]) { $1 }))) }
        }
        expect([])
        expect(honest.attestationObject + [0])
        expect([0xBB, 0, 0, 0, 1, 0, 0, 0, 0])
        expect(honest.attestationObject + [UInt8](repeating: 0, count: 16 * 1024))
        expect([0xA4] + Array(honest.attestationObject.dropFirst()) + CBOREncoder.encode(.text("fmt")) + [0x60])
    }

    @Test("Authenticator data that are cut off anywhere, or have a byte more, are rejected")
    func truncated() throws {
        let authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        let data = authenticator.registrationData
        for data in data.indices.map({ Array(data.prefix($0)) }) + [data + [0]] {
            var registration = try authenticator.register(challenge: Self.challenge)
            registration.attestationObject = CBOREncoder.encode(
                .map(["fmt": .text("none"), "attStmt": .map([:]), "authData": .bytes(data)]))
            #expect(fault(of: registration) == .authenticatorDataMalformed)
        }
    }

    @Test("A registration without a new credential is rejected")
    func noCredential() throws {
        let authenticator = try SoftwareAuthenticator(rpID: Self.rpID, origin: Self.origin)
        var registration = try authenticator.register(challenge: Self.challenge)
        let data = try authenticator.authenticate(challenge: Self.challenge, userHandle: nil).authenticatorData
        registration.attestationObject = CBOREncoder.encode(
            .map(["fmt": .text("none"), "attStmt": .map([:]), "authData": .bytes(data)]))
        #expect(fault(of: registration) == .authenticatorDataMalformed)
    }

    private func unverified(_ registration: SoftwareAuthenticator.Registration) throws(WebAuthnFault)
        -> UnverifiedRegistration
    {
        try UnverifiedRegistration(
            id: registration.id, rawID: registration.id, clientDataJSON: registration.clientDataJSON,
            attestationObject: registration.attestationObject)
    }

    private func verify(_ registration: SoftwareAuthenticator.Registration, by policy: RelyingPartyPolicy = policy)
        throws(WebAuthnFault) -> VerifiedRegistration
    {
        try unverified(registration).verified(challenge: Self.challenge, by: policy)
    }

    private func fault(
        of registration: SoftwareAuthenticator.Registration, by policy: RelyingPartyPolicy = policy
    ) -> WebAuthnFault? {
        WebAuthnTests.fault { () throws(WebAuthnFault) in _ = try verify(registration, by: policy) }
    }
}
