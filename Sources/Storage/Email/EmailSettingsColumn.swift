internal import Identity

/// The JSON in the column `project.email_settings`. Ignores unknown members, which a newer release may have written.
struct EmailSettingsColumn: Codable {
    let senderAddress: String?
    let senderName: String?
    let replyTo: String?
    let actionUrl: String?
    let language: String?
    /// Subject lines by kind of email, then by language.
    let subjects: [String: [String: String]]?

    init(_ settings: EmailSettings) {
        let subjects = settings.subjects.filter { !$0.value.isEmpty }.map { kind, texts in
            (kind.rawValue, Dictionary(uniqueKeysWithValues: texts.map { ($0.key.rawValue, $0.value) }))
        }
        senderAddress = settings.senderAddress?.rawValue
        senderName = settings.senderName
        replyTo = settings.replyTo?.rawValue
        actionUrl = settings.actionURL
        language = settings.language == .english ? nil : settings.language.rawValue
        self.subjects = subjects.isEmpty ? nil : Dictionary(uniqueKeysWithValues: subjects)
    }

    var settings: EmailSettings {
        var known: [OutgoingEmail.Kind: [Language: String]] = [:]
        for (kind, texts) in subjects ?? [:] {
            guard let kind = OutgoingEmail.Kind(rawValue: kind) else { continue }
            for (language, text) in texts {
                if let language = Language(rawValue: language) { known[kind, default: [:]][language] = text }
            }
        }
        return EmailSettings(
            senderAddress: senderAddress.flatMap { EmailAddress($0) }, senderName: senderName,
            replyTo: replyTo.flatMap { EmailAddress($0) }, actionURL: actionUrl,
            language: language.flatMap { Language(rawValue: $0) } ?? .english, subjects: known)
    }
}
