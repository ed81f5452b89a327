internal import CSystem

/// The form of an internationalised domain name that the DNS and email use.
public enum ASCIIDomain {
    /// The maximum length of an input in bytes. Every name that has a valid form is shorter.
    private static let inputLimit = 1024

    /// Converts each label that is not ASCII to an A-label (`xn--…`), as browsers do: UTS #46, non-transitional, so
    /// that `straße` and `strasse` stay different.
    ///
    /// - Returns: the name in lower case; `nil` if the name is not valid.
    public static func converting(_ domain: String) -> String? {
        guard domain.utf8.count <= inputLimit, !domain.utf8.contains(0) else { return nil }
        var output: UnsafeMutablePointer<CChar>?
        let flags = Int32(IDN2_NONTRANSITIONAL.rawValue)
        guard idn2_to_ascii_8z(domain, &output, flags) == IDN2_OK.rawValue, let output else { return nil }
        defer { idn2_free(output) }
        // The rules for ASCII are checked here, because the library removes other characters with
        // `IDN2_USE_STD3_ASCII_RULES` instead of rejecting the name. A label `xn--…` contains its ASCII characters.
        guard let name = String(validatingCString: output),
            name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy(isLabel)
        else { return nil }
        return name
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        !label.isEmpty
            && label.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
