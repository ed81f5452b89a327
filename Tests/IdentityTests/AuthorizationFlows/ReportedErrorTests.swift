import Testing

@testable import Identity

@Suite("Errors in the URLs of a sign-in in the browser")
struct ReportedErrorTests {
    @Test(
        "A provider's error is kept only if it has the form of OAuth's error codes",
        arguments: [
            ("temporarily_unavailable", true), ("", false), ("Server_error", false), ("server error", false),
            ("server`error", false), ("server^error", false), ("server{error", false), ("e2", false),
            (String(repeating: "e", count: 64), true), (String(repeating: "e", count: 65), false),
        ])
    func provider(error: String, isKept: Bool) {
        #expect(AuthorizationRefusal(providerError: error) == .providerError(isKept ? error : "unknown"))
    }

    @Test(
        "An error that a client reports is kept only if it has the form of an error code",
        arguments: [
            ("INVALID_IDP_RESPONSE", true), ("", false), ("invalid", false), ("INVALID RESPONSE", false),
            ("INVALID@", false), ("INVALID[", false), (String(repeating: "E", count: 65), false),
        ])
    func client(error: String, isKept: Bool) {
        #expect(AuthorizationRefusal(reported: error) == .failed(isKept ? error : "unknown"))
    }
}
