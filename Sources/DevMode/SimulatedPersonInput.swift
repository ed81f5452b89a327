internal import API
internal import Gateway
internal import Identity
internal import Simulators

/// A request's description of a person at a simulated provider.
struct SimulatedPersonInput: Decodable {
    var id: String?
    var givenName: String?
    var familyName: String?
    var email: String?
    var emailVerified: Bool?
    var hidesEmail: Bool?
    var hostedDomain: String?
    var realUserStatus: Int64?
}

extension SimulatedPerson {
    /// The ID of the person is `id`, otherwise the email address, otherwise the name. An input without these members
    /// describes Ada Lovelace.
    init(_ input: SimulatedPersonInput) throws(RequestRefusal) {
        let name = [input.givenName, input.familyName].compactMap(\.self).joined(separator: ".").lowercased()
        if let id = [input.id, input.email, name].compactMap(\.self).first(where: { !$0.isEmpty }) {
            self.init(id: id, givenName: input.givenName, familyName: input.familyName, email: input.email)
        } else {
            self = .ada
        }
        if let email, EmailAddress(email) == nil { throw .invalidField("/person/email", "must be an email address") }
        guard let status = RealUserStatus(rawValue: input.realUserStatus ?? realUserStatus.rawValue) else {
            throw .invalidField("/person/realUserStatus", "must be 0, 1 or 2")
        }
        realUserStatus = status
        emailIsVerified = input.emailVerified ?? true
        hidesEmail = input.hidesEmail ?? false
        hostedDomain = input.hostedDomain
        // A person who hides the email address has one, to which the relay forwards.
        if hidesEmail, email == nil { email = "hidden@example.com" }
    }
}
