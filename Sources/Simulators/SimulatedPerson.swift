/// A person with an account at a simulated provider. The defaults are valid, so a test sets only the properties that
/// matter to it.
public struct SimulatedPerson: Hashable, Sendable {
    /// Apple's estimate of whether the user is a real person.
    public enum RealUserStatus: Int64, Sendable, CaseIterable {
        case unsupported = 0
        case unknown = 1
        case likelyReal = 2
    }

    /// Identifies the person. Subjects and relay addresses are derived from the ID, so they are the same in every run.
    public var id: String
    public var givenName: String?
    public var familyName: String?
    /// `nil` for accounts without an email address, such as managed Apple accounts.
    public var email: String?
    public var emailIsVerified = true
    /// Whether apps get an address of Apple's relay.
    public var hidesEmail = false
    public var realUserStatus = RealUserStatus.likelyReal
    /// The organisation of a managed Apple account.
    public var organization: String?
    /// The domain of a Google Workspace account.
    public var hostedDomain: String?
    public var pictureURL: String?
    public var locale: String?

    public init(id: String, givenName: String? = nil, familyName: String? = nil, email: String? = nil) {
        self.id = id
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
    }

    public static func named(_ givenName: String, _ familyName: String, at domain: String = "example.com") -> Self {
        let id = "\(givenName).\(familyName)".lowercased()
        return SimulatedPerson(id: id, givenName: givenName, familyName: familyName, email: "\(id)@\(domain)")
    }

    public static let ada = named("Ada", "Lovelace")
    /// Hides her email address from apps that use Sign in with Apple.
    public static let grace = named("Grace", "Hopper").with { $0.hidesEmail = true }
    /// Has a managed Apple account, without an email address.
    public static let alan = named("Alan", "Turing").with {
        $0.email = nil
        $0.organization = "example-school"
    }
    /// Has a `gmail.com` address.
    public static let mary = named("Mary", "Somerville", at: "gmail.com")
    /// Has a Google Workspace account.
    public static let emmy = named("Emmy", "Noether", at: "university.example").with {
        $0.hostedDomain = "university.example"
    }

    public func with(_ change: (inout SimulatedPerson) -> Void) -> SimulatedPerson {
        var person = self
        change(&person)
        return person
    }
}
