import Encoding
import Testing

@testable import WebAuthn

@Suite("Vectors of WebAuthn Level 3")
struct VectorTests {
    @Test("Every registration verifies, and says what the specification says", arguments: try Vector.all())
    func registration(vector: Vector) throws {
        let (verified, expected) = (try vector.register(), vector.registered)
        #expect(verified.credentialID == Base64URL.decode(expected.credentialId))
        #expect(verified.publicKey.encoded == Base64URL.decode(expected.publicKey))
        #expect(verified.publicKey.algorithm.rawValue == expected.alg)
        #expect(Hexadecimal.encode(verified.aaguid) == expected.aaguid)
        #expect(verified.signCount == expected.signCount)
        #expect(verified.isUserPresent == expected.flags.contains("UP"))
        #expect(verified.isUserVerified == expected.flags.contains("UV"))
        #expect(verified.isBackupEligible == expected.flags.contains("BE"))
        #expect(verified.isBackedUp == expected.flags.contains("BS"))
        let attestation: Attestation =
            switch vector.name {
            case "packed-self-es256": .selfAttested
            case let name where name.hasPrefix("none-"): .none
            default: .notVerified
            }
        #expect(verified.attestation == attestation)
        #expect(verified.origin == "https://example.org")
    }

    @Test("Every authentication verifies, and says what the specification says", arguments: try Vector.all())
    func authentication(vector: Vector) throws {
        let (verified, expected) = (try vector.authenticate(), vector.authenticated)
        #expect(verified.signCount == expected.signCount)
        #expect(verified.counter == .unused)
        #expect(verified.isUserVerified == expected.flags.contains("UV"))
        #expect(verified.isBackedUp == expected.flags.contains("BS"))
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        /// `nil` if the gateway accepts the response.
        let registration: WebAuthnFault?
        let authentication: WebAuthnFault?
        var testDescription: String { name }
    }

    @Test(
        "The gateway's policy rejects some vectors at these steps",
        arguments: [
            Row(name: "none-es256", registration: .userNotVerified, authentication: .userNotVerified),
            Row(name: "packed-self-es256", registration: nil, authentication: .userNotVerified),
            Row(name: "none-es256-crossOrigin", registration: .crossOrigin, authentication: .crossOrigin),
            Row(name: "packed-es256", registration: nil, authentication: nil),
            Row(name: "packed-es384", registration: .userNotVerified, authentication: nil),
            Row(name: "packed-rs256", registration: nil, authentication: .userNotVerified),
            Row(name: "packed-eddsa", registration: .userNotVerified, authentication: .userNotVerified),
            Row(name: "fido-u2f-es256", registration: .userNotVerified, authentication: .userNotVerified),
        ])
    func gatewayPolicy(row: Row) throws {
        let vector = try #require(try Vector.all().first { $0.name == row.name })
        let policy = RelyingPartyPolicy(rpID: "example.org", origins: ["https://example.org"])
        #expect(fault { () throws(WebAuthnFault) in _ = try vector.register(by: policy) } == row.registration)
        #expect(
            fault { () throws(WebAuthnFault) in _ = try vector.authenticate(by: policy, userHandle: [7]) }
                == row.authentication)
        // No vector has a user handle.
        #expect(throws: WebAuthnFault.userHandleMissing) { try vector.authenticate(by: policy) }
    }

    @Test("The table has every vector")
    func complete() throws {
        let names = try Vector.all().map(\.name)
        #expect(names.count == 8)
        #expect(try Vector.file.get().rpId == Vector.lenientPolicy.rpID)
        #expect(try [Vector.file.get().origin] == Vector.lenientPolicy.origins)
    }

    @Test("ES384 is verified, but not offered")
    func es384() throws {
        let vector = try #require(try Vector.all().first { $0.name == "packed-es384" })
        var policy = Vector.lenientPolicy
        policy.algorithms = COSEAlgorithm.offered
        #expect(throws: WebAuthnFault.algorithmNotOffered) { try vector.register(by: policy) }
    }
}

/// - Returns: what `body` throws; `nil` if it succeeds.
func fault(_ body: () throws(WebAuthnFault) -> Void) -> WebAuthnFault? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
