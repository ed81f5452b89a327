internal import Identity

/// A text of the profile of an account or identity, such as a name or a photo URL. It is decoded without a limit,
/// because an import shortens or drops what other requests may not contain.
struct ProfileText: Decodable, Sendable {
    let text: String

    init(from decoder: any Decoder) throws {
        text = try WireText(from: decoder).text
    }

    /// The maximum length of a name in an import, in Unicode scalars, and of a photo URL in bytes: those of Firebase.
    private static let (importedNameLimit, importedPhotoURLLimit) = (1024, 4096)

    /// Returns the text with spaces instead of line breaks and other control characters, cut at the maximum length.
    /// Adds what was changed to `changes`.
    func importedName(_ changes: inout Set<ImportedUser.Change>) -> String {
        var name = text
        if name.unicodeScalars.contains(where: \.isControlOrLineSeparator) {
            name = Self.replacingLineBreaks(name)
            changes.insert(.controlCharactersInName)
        }
        guard name.unicodeScalars.count > Self.importedNameLimit else { return name }
        changes.insert(.nameWasCut)
        return Self.cut(name)
    }

    /// Replaces control characters and line separators by spaces, and CR LF by one.
    private static func replacingLineBreaks(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in name.unicodeScalars {
            if scalar != "\n" || previous != "\r" { result.append(scalar.isControlOrLineSeparator ? " " : scalar) }
            previous = scalar
        }
        return String(result)
    }

    /// Cuts a name before the character that exceeds the limit. A character may consist of several scalars, as many
    /// emoji do.
    private static func cut(_ name: String) -> String {
        let limit = name.unicodeScalars.index(name.startIndex, offsetBy: importedNameLimit)
        var end = limit
        while end > name.startIndex, end.samePosition(in: name) == nil { end = name.unicodeScalars.index(before: end) }
        return String(name.unicodeScalars[..<(end > name.startIndex ? end : limit)])
    }

    /// Returns the URL; `nil` if it is too long or has control characters, which is added to `changes`.
    func importedPhotoURL(_ changes: inout Set<ImportedUser.Change>) -> PhotoURL? {
        guard !text.isEmpty else { return nil }
        guard text.utf8.count <= Self.importedPhotoURLLimit, let url = PhotoURL(text) else {
            changes.insert(.photoWasDropped)
            return nil
        }
        return url
    }
}

extension ProfileText {
    /// Returns the language; `nil` if it is not supported, which is added to `changes`.
    func importedLanguage(_ changes: inout Set<ImportedUser.Change>) -> Language? {
        guard !text.isEmpty else { return nil }
        let language = Language(tag: text)
        if language == nil { changes.insert(.languageWasDropped) }
        return language
    }

    /// Returns the time zone; `nil` if there is none of that name, which is added to `changes`.
    func importedTimeZone(_ changes: inout Set<ImportedUser.Change>) -> TimeZoneName? {
        guard !text.isEmpty else { return nil }
        let zone = TimeZoneName(text)
        if zone == nil { changes.insert(.timeZoneWasDropped) }
        return zone
    }
}

extension ProfileText? {
    /// An empty text removes the language.
    ///
    /// - Throws: `INVALID_PROFILE_ATTRIBUTE` for a tag that matches no supported language.
    func checkedLanguage() throws(RequestRefusal) -> AccountUpdate.Value<Language>? {
        guard let text = self?.text else { return nil }
        guard !text.isEmpty else { return .remove }
        guard let language = Language(tag: text) else {
            let languages = Language.allCases.map(\.rawValue).joined(separator: ", ")
            throw .rejected(.invalidProfileAttribute, "language must be one of \(languages)")
        }
        return .set(language)
    }

    /// An empty text removes the time zone.
    ///
    /// - Throws: `INVALID_PROFILE_ATTRIBUTE` for a text that is not the name of a time zone.
    func checkedTimeZone() throws(RequestRefusal) -> AccountUpdate.Value<TimeZoneName>? {
        guard let text = self?.text else { return nil }
        guard !text.isEmpty else { return .remove }
        guard let zone = TimeZoneName(text) else {
            throw .rejected(
                .invalidProfileAttribute, "timeZone must be the name of an IANA time zone, such as Europe/Berlin")
        }
        return .set(zone)
    }

    /// - Throws: `INVALID_PROFILE_ATTRIBUTE` for a name that is too long or has control characters.
    ///
    /// - Parameter member: the name of the request's member.
    func checkedName(of member: String = "displayName") throws(RequestRefusal) -> AccountUpdate.Value<String>? {
        try checked(member, limit: 256) { $0 }
    }

    /// Returns the profile of a new account with this name. An empty name is ignored.
    func profileOfNewAccount() throws(RequestRefusal) -> AccountUpdate.Profile {
        var profile = AccountUpdate.Profile()
        if case .set(let name) = try checkedName() { profile.displayName = .set(name) }
        return profile
    }

    /// - Throws: `INVALID_PROFILE_ATTRIBUTE` for a URL that is too long or has control characters.
    func checkedPhotoURL() throws(RequestRefusal) -> AccountUpdate.Value<PhotoURL>? {
        try checked("photoUrl", limit: 2048, PhotoURL.init)
    }

    /// An empty text removes the member.
    private func checked<Content>(
        _ member: String, limit: Int, _ content: (String) -> Content?
    ) throws(RequestRefusal) -> AccountUpdate.Value<Content>? {
        guard let text = self?.text else { return nil }
        guard text.unicodeScalars.count <= limit else {
            throw .rejected(.invalidProfileAttribute, "\(member) must not be longer than \(limit) characters")
        }
        guard !text.unicodeScalars.contains(where: \.isControlOrLineSeparator) else {
            throw .rejected(
                .invalidProfileAttribute, "\(member) must not contain control characters or line separators")
        }
        return AccountUpdate.Value(text.isEmpty ? nil : content(text))
    }
}

/// The members of the profile in a request that creates or updates an account. An empty text removes a member.
struct ProfileMembers: Decodable {
    private let displayName: ProfileText?
    private let photoUrl: ProfileText?
    private let language: ProfileText?
    private let timeZone: ProfileText?

    /// - Throws: `INVALID_PROFILE_ATTRIBUTE`.
    func checked() throws(RequestRefusal) -> AccountUpdate.Profile {
        var profile = AccountUpdate.Profile()
        profile.displayName = try displayName.checkedName()
        profile.photoURL = try photoUrl.checkedPhotoURL()
        profile.language = try language.checkedLanguage()
        profile.timeZone = try timeZone.checkedTimeZone()
        return profile
    }
}
