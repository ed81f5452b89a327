import Testing

/// The domain is the module `Identity`. A refusal is an error that the caller caused.
@Suite("Errors of the domain")
struct RefusalTests {
    /// The errors that the caller did not cause, which ``RequestOutcome`` answers with 503.
    static let unavailable: Set<String> = [
        "ClientGone", "Overloaded", "StoreUnavailable", "PersistentConflict", "ProviderUnreachable",
        "HookUnavailable",
    ]

    @Test("Every error of the domain is a refusal, is answered with 503, or is translated by a service")
    func areRefusals() throws {
        let outcome = try Repository.text("Sources/API/Wire/RequestOutcome.swift")
        var (refusals, errors): (Set<String>, Set<String>) = ([], [])
        for file in try Repository.files(in: "Sources/Identity", ending: ".swift") {
            for match in try Repository.text(file).matches(of: #/(?:enum|struct) (\w+): (?:\w+, )*(Refusal|Error)\b/#) {
                if match.output.2 == "Refusal" {
                    refusals.insert(String(match.output.1))
                } else {
                    errors.insert(String(match.output.1))
                }
            }
        }
        #expect(refusals.count > 20, "the declarations of refusals are not found")
        // Services translate these, and the endpoint the last one.
        errors.subtract(["StoreConflict", "AppleKeyFault", "SMSQuota", "ChangedDuringHooks", "GoogleSignalRefusal"])
        #expect(errors == Self.unavailable, "any other error is answered with 500: make it a Refusal")
        for error in errors { #expect(outcome.contains("is \(error):"), "\(error) is not answered with 503") }
    }
}
