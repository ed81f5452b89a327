import Crypto
import Testing

@Suite("Signatures of webhooks")
struct WebhookSignatureTests {
    private let body = Array(#"{"test": 2432232314}"#.utf8)
    private let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"

    @Test("A signature equals the published vector of Standard Webhooks")
    func vector() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = WebhookSignature(of: body, id: id, at: 1_614_265_330, secrets: [secret])
        #expect(signature.signatures == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(signature.fields.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(signature.fields.map(\.value) == [id, "1614265330", signature.signatures])
    }

    @Test("While secrets rotate, each of them signs, and the new one comes first")
    func rotation() {
        let (new, old) = (WebhookSecret.generate(), WebhookSecret.generate())
        let values = [new, old].map { WebhookSignature(of: body, id: id, at: 1, secrets: [$0]).signatures }
        #expect(
            WebhookSignature(of: body, id: id, at: 1, secrets: [new, old]).signatures == values.joined(separator: " "))
    }

    @Test("A generated secret has 32 bytes, is read from its own text, and shows nothing in descriptions")
    func generated() {
        let secret = WebhookSecret.generate()
        #expect(secret.expose().utf8.count == "whsec_".utf8.count + 44)
        #expect(WebhookSecret(secret.expose()) == secret)
        #expect(WebhookSecret.generate() != secret)
        #expect("\(secret) \(String(reflecting: secret))".contains("whsec_") == false)
    }

    @Test(
        "A text is rejected unless it is `whsec_` and 24 to 64 bytes in Base64",
        arguments: [
            "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa",
            "whsec_" + String(repeating: "A", count: 88), "whsec_" + String(repeating: "A", count: 1_000_000),
        ])
    func rejected(text: String) {
        #expect(WebhookSecret(text) == nil)
    }
}
