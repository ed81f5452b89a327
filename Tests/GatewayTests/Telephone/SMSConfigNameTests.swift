import HTTP
import Testing

@testable import Support

@Suite("Names in the settings of text messages")
struct SMSConfigNameTests {
    @Test(
        "Two names that differ only in their bytes are two names: the request is rejected, and the gateway goes on",
        arguments: [
            (#"{"sms": {"perCallingCode": {"\u00e9": 1, "e\u0301": 1}}}"#, "sms.perCallingCode"),
            (
                #"{"signIn": {"phoneNumber": {"testPhoneNumbers": {"\u00e9": "123456", "e\u0301": "123456"}}}}"#,
                "signIn.phoneNumber.testPhoneNumbers"
            ),
        ])
    func canonicallyEqual(body: String, mask: String) async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let answer = try await gateway.send(
            .patch, ProjectConfigTests.path, query: [("updateMask", mask)],
            headers: ["Authorization": "Bearer \(backend.secret)"], text: body)
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer.wireCode == "INVALID_CONFIG", "\(answer.text)")
    }
}
