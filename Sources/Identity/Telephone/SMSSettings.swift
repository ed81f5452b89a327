public import Encoding

/// How a project sends codes to telephone numbers, and to which ones. Tenants share the settings and the budget of
/// their project.
public struct SMSSettings: Hashable, Sendable {
    /// The format of the requests to the sender.
    public enum Format: String, CaseIterable, Sendable {
        /// JSON with a signature (Standard Webhooks).
        case webhook
        /// A form with Basic authentication, as providers of text messages have.
        case form
    }

    public var format: Format
    /// The URL of the sender; `nil` if the project sends no codes.
    public var url: String?
    /// For ``Format/form``: the name for Basic authentication.
    public var username: String?
    /// For ``Format/form``: the members of the form with their templates; see ``SMSTemplate``.
    public var fields: [ByteText: String]
    /// Whether a secret is stored: the signing secret of a webhook, or the password of a form.
    public var hasSecret: Bool
    /// Digit prefixes of the numbers to which codes may be sent. The longest prefix of the number in
    /// ``CallingCodes`` must not be longer than the allowed one.
    public var allowedCallingCodes: [String]
    /// The regions to which codes may be sent, besides ``allowedCallingCodes``.
    public var regions: SMSRegions
    /// The maximum number of codes per day (UTC).
    public var budgetPerDay: Int
    /// The maximum number of codes per day for a calling code; see ``callingCodeBudget``.
    public var perCallingCode: [ByteText: Int]
    /// Numbers with fixed codes, for reviewers and tests, without text messages.
    public var testNumbers: [ByteText: String]

    public init(
        format: Format = .webhook, url: String? = nil, username: String? = nil, fields: [ByteText: String] = [:],
        hasSecret: Bool = false, allowedCallingCodes: [String] = [], regions: SMSRegions = .none,
        budgetPerDay: Int = 100, perCallingCode: [ByteText: Int] = [:], testNumbers: [ByteText: String] = [:]
    ) {
        self.format = format
        self.url = url
        self.username = username
        self.fields = fields
        self.hasSecret = hasSecret
        self.allowedCallingCodes = allowedCallingCodes
        self.regions = regions
        self.budgetPerDay = budgetPerDay
        self.perCallingCode = perCallingCode
        self.testNumbers = testNumbers
    }

    /// The maximum number of codes per day for a calling code that ``perCallingCode`` does not list.
    public static let callingCodeBudget = 30
    public static let testNumberLimit = 10
    static let budgetRange = 0...1_000_000
    static let fieldLimit = 20
    static let allowedLimit = 500
}

extension SMSSettings {
    /// The prefix of the table by which codes to `number` are counted; `nil` if no code may be sent to it.
    func allowedPrefix(of number: PhoneNumber) -> String? {
        guard let prefix = CallingCodes.prefix(of: number) else { return nil }
        let allowed = CallingCodes.longest(in: Set(allowedCallingCodes), of: number)
        return (allowed?.count ?? 0) >= prefix.count || regions.prefixes.contains(prefix) ? prefix : nil
    }

    func budget(ofCallingCode prefix: String) -> Int { perCallingCode[ByteText(prefix)] ?? Self.callingCodeBudget }

    /// The fixed code of a test number; `nil` for every other number.
    func testCode(of number: PhoneNumber) -> String? { testNumbers[ByteText(number.rawValue)] }
}

/// A template for a member of the sender's form. It knows only the four placeholders, so that a text that is inserted
/// for one of them is never taken for another.
public enum SMSTemplate {
    public static let placeholders = ["number", "text", "code", "locale"]

    /// Whether every brace of the template belongs to a placeholder.
    public static func isValid(_ template: String) -> Bool {
        template.utf8.count <= 1000 && parts(of: template) != nil
    }

    /// Whether the template contains anything but placeholders.
    static func hasText(_ template: String) -> Bool {
        parts(of: template)?.contains { part in if case .text(let text) = part { !text.isEmpty } else { false } }
            ?? true
    }

    /// Returns the template with the values inserted in one pass.
    public static func expand(_ template: String, _ values: [String: String]) -> String {
        (parts(of: template) ?? []).map { part in
            switch part {
            case .text(let text): text
            case .placeholder(let name): values[name] ?? ""
            }
        }.joined()
    }

    private enum Part {
        case text(String)
        case placeholder(String)
    }

    private static func parts(of template: String) -> [Part]? {
        var parts: [Part] = []
        for (index, piece) in template.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
            guard index > 0 else {
                guard !piece.contains("}") else { return nil }
                parts.append(.text(String(piece)))
                continue
            }
            let halves = piece.split(separator: "}", omittingEmptySubsequences: false)
            guard halves.count == 2, placeholders.contains(String(halves[0])) else { return nil }
            parts += [.placeholder(String(halves[0])), .text(String(halves[1]))]
        }
        return parts
    }
}
