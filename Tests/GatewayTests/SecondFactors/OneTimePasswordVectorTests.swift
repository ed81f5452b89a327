import Crypto
import Testing

@testable import Gateway
@testable import Identity
@testable import Support

@Suite("Codes of authenticator apps")
struct OneTimePasswordVectorTests {
    /// RFC 6238 appendix B: the last six digits of the codes with SHA-1.
    @Test(
        "The gateway computes the codes of RFC 6238",
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] as [(Int64, String)])
    func vectors(seconds: Int64, code: String) throws {
        let secret = Array("12345678901234567890".utf8)
        let now = Instant(seconds: seconds)
        let secrets = FactorSecrets.sealing(under: try MasterKeys(current: TestGateway.masterKey))
        var policy = Policy(.sekisho)
        policy.secondFactors.adjacentIntervals = 0
        #expect(try secrets.step(of: code, with: secret, at: now, by: policy) == seconds / 30)
        #expect(try secrets.step(of: code, with: secret, at: now + .seconds(30), by: policy) == nil)
        #expect(try AuthenticatorApp(secret: secret).code(at: now) == code)
    }
}
