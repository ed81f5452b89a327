/// What a person chooses on a consent page, or what a test submits instead.
enum ConsentDecision {
    case consent(SimulatedPerson)
    case cancellation
    /// A response that the client has to reject.
    case fault(ConsentFault, SimulatedPerson)
    /// The entered email address of a new person is not valid.
    case invalidEmail(SimulatedPerson)

    enum Field: String {
        /// The ID or email address of a known person. An unknown email address creates a new person.
        case person = "simulated_person"
        case email = "simulated_email"
        case givenName = "simulated_given_name"
        case familyName = "simulated_family_name"
        case hidesEmail = "simulated_hide_email"
        case outcome = "simulated_outcome"
    }

    /// The value of ``Field/outcome`` if the person cancels. The other values are those of ``ConsentFault``.
    static let cancelled = "cancelled"
    /// The maximum length of a given or family name, in characters. Longer names are truncated.
    static let nameLimit = 100
    /// The maximum length of an email address, in bytes.
    static let emailLimit = 254

    /// - Returns: `nil` if the form contains no decision.
    init?(_ form: Form, among people: SimulatedPeople) {
        if form[.outcome] == Self.cancelled {
            self = .cancellation
            return
        }
        let chosen = form[.person].flatMap { people.find($0) ?? SimulatedPerson(address: $0) }
        let newPerson = Self.newPerson(form).map { entered in entered.email.flatMap(people.find) ?? entered }
        let person = (chosen ?? newPerson)?.with { $0.hidesEmail = form[.hidesEmail] == "true" && $0.email != nil }
        if let fault = form[.outcome].flatMap(ConsentFault.init) {
            self = .fault(fault, person ?? .ada)
        } else if let person {
            let isValid = chosen != nil || person.email.map(Self.isEmailAddress) == true
            self = isValid ? .consent(person) : .invalidEmail(person)
        } else {
            return nil
        }
    }

    private static func newPerson(_ form: Form) -> SimulatedPerson? {
        let names = [form[.givenName], form[.familyName]].map { $0.map { String($0.prefix(nameLimit)) } }
        guard form[.email] != nil || names.contains(where: { $0 != nil }) else { return nil }
        return SimulatedPerson(
            id: (form[.email] ?? "").lowercased(), givenName: names[0], familyName: names[1], email: form[.email])
    }

    static func isEmailAddress(_ text: String) -> Bool {
        text.utf8.count <= emailLimit && text.wholeMatch(of: /[^\s@\p{Cc}]+@[^\s@\p{Cc}]+/) != nil
    }
}

extension Form {
    subscript(field: ConsentDecision.Field) -> String? { self[field.rawValue] }
}

extension SimulatedPerson {
    /// A new person with an email address and no name; `nil` for an invalid address.
    fileprivate init?(address: String) {
        guard ConsentDecision.isEmailAddress(address) else { return nil }
        self.init(id: address.lowercased(), email: address)
    }
}
