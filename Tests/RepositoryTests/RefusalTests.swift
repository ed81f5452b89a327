import Testing

@Suite("Errors of the domain")
struct RefusalTests {
    /// Its cases are answered as text, one for each row of an import.
    static let answeredElsewhere: Set<String> = ["PasswordHashFault"]

    @Test("have a wire code each, or answer 503")
    func areNamed() throws {
        let names = try Repository.text("Sources/API/Wire/RefusalNames.swift")
        let unavailable = try Repository.text("Sources/API/Wire/RequestOutcome.swift")
        var errors: Set<String> = []
        for file in try Repository.files(in: "Sources/Identity", ending: ".swift") {
            for match in try Repository.text(file).matches(of: #/(?:enum|struct) (\w+): (?:\w+, )*Error\b/#) {
                errors.insert(String(match.output.1))
            }
        }
        #expect(errors.count > 20)
        for error in errors.subtracting(Self.answeredElsewhere) {
            let isNamed = names.firstMatch(of: try Regex("as (\\w+\\.)?\(error):")) != nil
            #expect(
                isNamed || unavailable.contains("is \(error):"),
                "\(error) would be answered with 500: name it in RefusalNames.swift")
        }
    }
}
