internal import Identity

/// The supported part of Identity Platform's `NotificationConfig`. In that format, each template has its own sender
/// name and reply address. The gateway has one sender name and one reply address per project, so all templates that set
/// one of these members must set it to the same value.
struct NotificationInput: Decodable {
    struct SendEmail: Decodable {
        let verifyEmailTemplate: Template?
        let resetPasswordTemplate: Template?
        let changeEmailTemplate: Template?
        let callbackUri: String?
    }

    struct Template: Decodable {
        let subject: String?
        let senderDisplayName: String?
        let replyTo: String?
    }

    private static let sendEmailPath = "notification.sendEmail"

    let defaultLocale: String?
    let sendEmail: SendEmail?

    /// Sets the members that `mask` covers and the input has. An empty text removes a setting, but `defaultLocale` must
    /// not be empty.
    func apply(to settings: inout EmailSettings, maskedBy mask: FieldMask) throws(RequestRefusal) {
        if mask.contains("notification.defaultLocale"), let defaultLocale {
            guard let language = Language(name: defaultLocale) else {
                throw .invalidField("/notification/defaultLocale", "must be one of \(Self.languages)")
            }
            settings.language = language
        }
        if mask.contains("\(Self.sendEmailPath).callbackUri"), let uri = sendEmail?.callbackUri {
            settings.actionURL = uri.isEmpty ? nil : uri
        }
        if let (_, name) = try sharedValue("senderDisplayName", \.senderDisplayName, mask) {
            settings.senderName = name.isEmpty ? nil : name
        }
        if let (pointer, address) = try sharedValue("replyTo", \.replyTo, mask) {
            let email = EmailAddress(address)
            guard email != nil || address.isEmpty else { throw .invalidField(pointer, "must be an email address") }
            settings.replyTo = email
        }
        for (name, kind, template) in templates where mask.contains("\(Self.sendEmailPath).\(name).subject") {
            guard let subject = template?.subject else { continue }
            settings.subjects[kind, default: [:]][settings.language] = subject.isEmpty ? nil : subject
            if settings.subjects[kind]?.isEmpty == true { settings.subjects[kind] = nil }
        }
    }

    private static let languages = Language.allCases.map(\.rawValue).joined(separator: ", ")

    private var templates: [(name: String, kind: OutgoingEmail.Kind, input: Template?)] {
        EmailSettings.templates.map { name, kind in
            switch kind {
            case .verifyEmail: (name, kind, sendEmail?.verifyEmailTemplate)
            case .resetPassword: (name, kind, sendEmail?.resetPasswordTemplate)
            default: (name, kind, sendEmail?.changeEmailTemplate)
            }
        }
    }

    /// Returns the value that the templates set for a member, and the JSON pointer to that value. Ignores templates for
    /// which the mask does not cover the member.
    ///
    /// - Returns: `nil` if no template sets the member.
    /// - Throws: ``RequestRefusal`` if two templates set different values.
    private func sharedValue(
        _ member: String, _ path: KeyPath<Template, String?>, _ mask: FieldMask
    ) throws(RequestRefusal) -> (pointer: String, value: String)? {
        let masked = templates.filter { mask.contains("\(Self.sendEmailPath).\($0.name).\(member)") }
        let stated = masked.compactMap { name, _, input in
            input?[keyPath: path].map { (pointer: "/notification/sendEmail/\(name)/\(member)", value: $0) }
        }
        for other in stated where other.value != stated[0].value {
            throw .invalidField(other.pointer, "must be the same in every template")
        }
        return stated.first
    }
}

/// The email settings of a project in a response. Omits settings that the project inherits from the installation.
struct NotificationConfig: Encodable {
    struct SendEmail: Encodable {
        let method = "DEFAULT"
        let verifyEmailTemplate: Template?
        let resetPasswordTemplate: Template?
        let changeEmailTemplate: Template?
        let callbackUri: String?
    }

    struct Template: Encodable {
        let senderLocalPart: String?
        let subject: String?
        let senderDisplayName: String?
        let replyTo: String?

        /// - Returns: `nil` if no member is set.
        init?(_ settings: EmailSettings, _ kind: OutgoingEmail.Kind) {
            senderLocalPart = settings.senderLocalPart
            subject = settings.subjects[kind]?[settings.language]
            senderDisplayName = settings.senderName
            replyTo = settings.replyTo?.rawValue
            let members = [senderLocalPart, subject, senderDisplayName, replyTo]
            guard members.contains(where: { $0 != nil }) else { return nil }
        }
    }

    let sendEmail: SendEmail
    let defaultLocale: String

    init(_ settings: EmailSettings) {
        sendEmail = SendEmail(
            verifyEmailTemplate: Template(settings, .verifyEmail),
            resetPasswordTemplate: Template(settings, .resetPassword),
            changeEmailTemplate: Template(settings, .emailChanged), callbackUri: settings.actionURL)
        defaultLocale = settings.language.rawValue
    }
}

extension EmailSettings {
    /// The names of Identity Platform's templates, each with the gateway's email that it configures.
    /// `changeEmailTemplate` configures the notice to the previous address.
    fileprivate static let templates: [(String, OutgoingEmail.Kind)] = [
        ("verifyEmailTemplate", .verifyEmail), ("resetPasswordTemplate", .resetPassword),
        ("changeEmailTemplate", .emailChanged),
    ]

    var senderLocalPart: String? {
        senderAddress.map { String($0.rawValue.prefix { $0 != "@" }) }
    }

    /// Resets the members of ``NotificationConfig`` to their defaults. Keeps the sender's address, the subjects in
    /// languages other than ``language``, and the subjects of emails without a template in ``NotificationConfig``.
    mutating func resetMembersOfProjectConfig() {
        for (_, kind) in Self.templates { subjects[kind]?[language] = nil }
        self = EmailSettings(senderAddress: senderAddress, subjects: subjects.filter { !$0.value.isEmpty })
    }
}
