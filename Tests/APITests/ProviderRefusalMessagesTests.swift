import HTTP
import Identity
import Providers
import Testing

@testable import API

@Suite("Refusals of credentials and configurations")
struct ProviderRefusalMessagesTests {
    static let time = Instant(seconds: 1_767_225_600)

    static func invalidResponse(_ sentence: String) -> String { "INVALID_IDP_RESPONSE : \(sentence)" }
    static func invalidNonce(_ sentence: String) -> String { "MISSING_OR_INVALID_NONCE : \(sentence)" }

    @Test(
        "A rejected credential causes status 400, with a message for each reason",
        arguments: [
            (.notConfigured, "OPERATION_NOT_ALLOWED : The identity provider configuration is not found."),
            (.disabled, "OPERATION_NOT_ALLOWED : The identity provider configuration is disabled."),
            (
                .notForThisApp(violation: nil),
                "OPERATION_NOT_ALLOWED : The app does not offer this sign-in method."
            ),
            (
                .notForThisApp(violation: .init(.appleNotShown, .google)),
                "OPERATION_NOT_ALLOWED : LOGIN_SERVICES_4_8 : This app may not use a social provider: it shows google.com but not apple.com."
            ),
            (
                .linkOnly,
                "OPERATION_NOT_ALLOWED : The app offers the identity provider only for linking, not for signing in."
            ),
            (
                .hostedDomain(expected: ["example.com"], seen: HostedDomain("evil.example")),
                invalidResponse("The ID token must have the hosted domain 'example.com'; it has 'evil.example'.")
            ),
            (
                .hostedDomain(expected: ["example.com"], seen: nil),
                invalidResponse("The ID token must have the hosted domain 'example.com'; it has none.")
            ),
            (
                .credentialMissing,
                "INVALID_CREDENTIAL_OR_PROVIDER_ID : The request has no ID token, access token or code of this provider."
            ),
            (
                .discoveryIssuer(configured: "https://id.example.com", seen: "https://id.example.com/\u{1b}"),
                "OPERATION_NOT_ALLOWED : The discovery document names the issuer 'https://id.example.com/?'; configured is 'https://id.example.com'."
            ),
            (
                .voidCredential,
                invalidResponse(
                    "The ID token was issued before the user stopped using the identity provider for this app.")
            ),
            (.invalidToken(.malformed), invalidResponse("The ID token is malformed.")),
            (.invalidToken(.tooLong), invalidResponse("The ID token is too long.")),
            (
                .invalidToken(.algorithmNotAllowed),
                invalidResponse("The ID token is signed with an algorithm that is not allowed.")
            ),
            (
                .invalidToken(.criticalHeader),
                invalidResponse("The header of the ID token contains 'crit', which is not supported.")
            ),
            (
                .invalidToken(.keyIDMissing),
                invalidResponse("The ID token does not name the key that it is signed with.")
            ),
            (
                .invalidToken(.unknownKey),
                invalidResponse("The ID token is signed with a key that the provider does not publish.")
            ),
            (.invalidToken(.signatureInvalid), invalidResponse("The signature of the ID token is invalid.")),
            (
                .invalidToken(.issuer(expected: ["https://a", "b"], seen: "https://\u{1b}evil")),
                invalidResponse("The issuer of the ID token is 'https://?evil'; expected 'https://a' or 'b'.")
            ),
            (
                .invalidToken(.audience(expected: ["com.a"], seen: [])),
                invalidResponse("The audience of the ID token is missing; expected 'com.a'.")
            ),
            (
                .invalidToken(.audience(expected: ["1", "2", "3", "4", "5", "6"], seen: ["x", "y"])),
                invalidResponse(
                    "The audience of the ID token is 'x' or 'y'; expected '1' or '2' or '3' or '4' or '5' or others.")
            ),
            (
                .invalidToken(.authorizedParty(expected: ["a"], seen: String(repeating: "z", count: 500))),
                invalidResponse(
                    "The authorized party of the ID token is '\(String(repeating: "z", count: 128))'; expected 'a'.")
            ),
            (.invalidToken(.expired(at: time)), invalidResponse("The ID token expired at 2026-01-01T00:00:00.000Z.")),
            (
                .invalidToken(.notYetValid(until: time)),
                invalidResponse("The ID token is not valid until 2026-01-01T00:00:00.000Z.")
            ),
            (.invalidToken(.claim("sub")), invalidResponse("The ID token has no valid claim 'sub'.")),
            (.nonce(.missingInRequest), invalidNonce("Nonce is missing in the request.")),
            (.nonce(.missingInToken), invalidNonce("Nonce is missing in the ID token.")),
            (.nonce(.missing), invalidNonce("Nonce is missing in the request and in the ID token.")),
            (.nonce(.invalidLength), invalidNonce("The nonce must have 1 to 1024 bytes.")),
            (.nonce(.expired), invalidNonce("The nonce has expired.")),
            (
                .nonce(.alreadyUsed),
                invalidNonce("Duplicate credential received. Please try again with a new credential.")
            ),
            (.invalidPendingToken, "INVALID_PENDING_TOKEN"),
            (
                .invalidMergeToken,
                "INVALID_PENDING_TOKEN : The merge token is invalid or has expired; request a dry run again."
            ),
            (.tokenAlreadyUsed, "INVALID_PENDING_TOKEN : The pending token or merge token was already used."),
        ] as [(ProviderRefusal, String)])
    func name(refusal: ProviderRefusal, message: String) {
        #expect(refusal.message == message)
        #expect(WireError(refusal).code == 400)
    }

    @Test(
        "The message about a nonce that does not match names the expected form and the actual form",
        arguments: [
            (.sha256Hex, "that of another nonce"), (.sha256Base64URL, "a digest in base64url"),
            (.unhashed, "the nonce itself, not hashed"), (.other, "something else"),
        ] as [(NonceFault.Form, String)])
    func nonceForm(form: NonceFault.Form, phrase: String) {
        let sentence =
            "The ID token must have the SHA-256 of the request's nonce in lower-case hexadecimal digits (with providers other than Apple, the nonce itself is accepted too); it has \(phrase)."
        #expect(ProviderRefusal.nonce(.doesNotMatch(seen: form)).message == Self.invalidNonce(sentence))
    }

    @Test("An unreachable provider causes status 503 in plain text without the reason, and no error code in the log")
    func unreachable() {
        let outcome = RequestOutcome(ProviderUnreachable(provider: .apple, reason: "connection refused to 192.0.2.1"))
        #expect(outcome.response.status == 503)
        #expect(outcome.response.headers["Retry-After"] == "2")
        #expect(outcome.response.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(outcome.response.text == "The identity provider does not respond; try again shortly.\n")
        #expect(outcome.refusalCode == nil)
    }

    @Test(
        "A configuration that violates only guideline 4.8 gets status 409, others 400; at most ten problems are listed",
        arguments: [
            (
                [.loginServices(.init(.appleNotShown, .google), app: ID("a"))], 409,
                "LOGIN_SERVICES_4_8 : app a: it shows google.com but not apple.com (APPLE_NOT_SHOWN)",
                "LOGIN_SERVICES_4_8"
            ),
            (
                [.appleTeamID, .loginServices(.init(.appleNotShown, .google), app: ID("a"))], 400,
                "INVALID_CONFIG : apple.com's team ID must be ten upper-case letters or digits; app a: it shows google.com but not apple.com (APPLE_NOT_SHOWN)",
                "INVALID_CONFIG"
            ),
            (
                Array(repeating: .appleTeamID, count: 12), 400,
                "INVALID_CONFIG : "
                    + Array(repeating: "apple.com's team ID must be ten upper-case letters or digits", count: 10)
                    .joined(separator: "; ") + "; 2 more",
                "INVALID_CONFIG"
            ),
        ] as [([ConfigurationProblem], Int, String, String)])
    func configuration(problems: [ConfigurationProblem], status: Int, message: String, code: String) {
        let refusal = ConfigurationRefusal(problems: problems)
        let error = WireError(refusal)
        #expect(error.code == status)
        #expect(error.message == message)
        #expect(refusal.code.rawValue == code)
        #expect(error.status == (status == 409 ? .failedPrecondition : nil))
    }
}
