import Identity
import Testing

@Suite("Requirements for passwords")
struct PasswordRequirementTests {
    @Test(
        "The missing requirements of the policy are listed in a fixed order",
        arguments: [
            ("correct Horse 7!", []),
            ("", [.minimumLength(8), .lowercase, .uppercase, .digit, .symbol]),
            ("aB3!", [.minimumLength(8)]),
            ("CORRECT7!", [.lowercase]),
            ("correct7!", [.uppercase]),
            ("Correct!!", [.digit]),
            ("Correct77", [.symbol]),
            ("Correct 77", [.symbol]),
            ("correcthorse", [.uppercase, .digit, .symbol]),
            ("ÉÀÖ-éàö-٣٣", [.lowercase, .uppercase, .digit]),
            ("Passwort7§", [.symbol]),
        ] as [(String, [PasswordRequirement])])
    func requirements(password: String, missing: [PasswordRequirement]) {
        var policy = Policy(.sekisho)
        policy.requiresLowercase = true
        policy.requiresUppercase = true
        policy.requiresDigit = true
        policy.requiresSymbol = true
        #expect(policy.requirements(missingIn: Secret(password)) == missing)
    }

    @Test("The requirements are described to password generators")
    func passwordRules() {
        var policy = Policy(.sekisho)
        #expect(policy.passwordRules == "minlength: 8; maxlength: 4096; allowed: ascii-printable;")
        policy.requiresLowercase = true
        policy.requiresUppercase = true
        policy.requiresDigit = true
        policy.requiresSymbol = true
        #expect(
            policy.passwordRules == "minlength: 8; maxlength: 4096; required: lower; required: upper; required: digit; "
                + "required: [-!#$%&()*+,.:;=?@^_~]; allowed: ascii-printable;")
        let symbols = Set(Policy.passwordSymbols)
        #expect("-!#$%&()*+,.:;=?@^_~".allSatisfy(symbols.contains), "each of these symbols meets the requirement")
    }

    @Test(
        "The minimum length is in UTF-16 code units, and the maximum length in bytes",
        arguments: [
            (String(repeating: "a", count: 7), [.minimumLength(8)]),
            (String(repeating: "a", count: 8), []),
            ("😀😀😀", [.minimumLength(8)]),
            ("😀😀😀😀", []),
            ("e\u{301}e\u{301}e\u{301}e\u{301}", []),
            ("       ", [.minimumLength(8)]),
            ("        ", []),
            (String(repeating: "a", count: 4096), []),
            (String(repeating: "a", count: 4097), [.maximumLength(4096)]),
            (String(repeating: "é", count: 2049), [.maximumLength(4096)]),
        ] as [(String, [PasswordRequirement])])
    func length(password: String, missing: [PasswordRequirement]) {
        #expect(Policy(.sekisho).requirements(missingIn: Secret(password)) == missing)
    }
}
