import CBOR
import Encoding
import Testing

@testable import WebAuthn

/// Nothing that is signed can be changed. The signature does not cover `id`, `rawId` and `userHandle`, which are
/// compared with the stored passkey, and `fmt`, which selects how the statement is verified. All other members of a
/// response (`transports`, `clientExtensionResults`, `authenticatorAttachment`) are not given to the verifier.
@Suite("Mutations")
struct MutationTests {
    /// Every other value of one bit, and all bits at once.
    static let masks: [UInt8] = (0..<8).map { 1 << $0 } + [0xFF]

    @Test("No authentication with one changed byte verifies", arguments: try Vector.all())
    func authentication(vector: Vector) throws {
        let parts: [WritableKeyPath<Vector, [UInt8]>] = [
            \.authenticationClientData, \.authenticatorData, \.signature,
        ]
        #expect(throws: Never.self) { try vector.authenticate() }
        for part in parts {
            for index in vector[keyPath: part].indices {
                for mask in Self.masks {
                    var mutated = vector
                    mutated[keyPath: part][index] ^= mask
                    if fault({ () throws(WebAuthnFault) in _ = try mutated.authenticate() }) == nil {
                        Issue.record("\(part), byte \(index) changed by \(mask)")
                    }
                }
            }
        }
    }

    @Test("The mutations of authentications and registrations are at least 10,000")
    func count() throws {
        let bytes = try Vector.all().map {
            $0.authenticationClientData.count + $0.authenticatorData.count + $0.signature.count
        }
        #expect(bytes.reduce(0, +) * Self.masks.count >= 10_000)
    }

    @Test("No self-attested registration with one changed byte verifies, unless the byte is one of fmt")
    func registration() throws {
        let vector = try #require(try Vector.all().first { $0.name == "packed-self-es256" })
        // The first 13 bytes are the head of the map, the key `fmt` and its value.
        let format = Array("\u{63}fmt\u{66}packed".utf8)
        #expect(vector.attestationObject[1...].starts(with: format))
        #expect(try vector.register().attestation == .selfAttested)
        let parts: [(part: WritableKeyPath<Vector, [UInt8]>, first: Int)] = [
            (\.registrationClientData, 0), (\.attestationObject, 1 + format.count),
        ]
        for (part, first) in parts {
            for index in vector[keyPath: part].indices.dropFirst(first) {
                for mask in 1...UInt8.max {
                    var mutated = vector
                    mutated[keyPath: part][index] ^= mask
                    if fault({ () throws(WebAuthnFault) in _ = try mutated.register() }) == nil {
                        Issue.record("\(part), byte \(index) changed by \(mask)")
                    }
                }
            }
        }
    }

    @Test("A registration with a changed fmt is rejected, or is stored as not attested")
    func format() throws {
        let vector = try #require(try Vector.all().first { $0.name == "packed-self-es256" })
        for index in 0..<(1 + 4 + 7) {
            for mask in 1...UInt8.max {
                var mutated = vector
                mutated.attestationObject[index] ^= mask
                guard let verified = try? mutated.register() else { continue }
                #expect(verified.attestation == .notVerified, "byte \(index) changed by \(mask)")
            }
        }
    }
}
