internal import Identity

/// The name or the photo URL of an account or identity. It is decoded without a limit, because an import shortens or
/// drops what other requests may not contain.
struct ProfileText: Decodable, Sendable {
    let text: String

    init(from decoder: any Decoder) throws {
        text = try WireText(from: decoder).text
    }

    /// The maximum lengths in an import, in Unicode scalars: those of Firebase.
    private static let (importedNameLimit, importedPhotoURLLimit) = (1024, 4096)

    /// Returns the text with spaces instead of line breaks and other control characters, cut at the maximum length, and
    /// what was changed.
    var importedName: (name: String?, change: ImportedUser.Change?) {
        var change: ImportedUser.Change?
        var scalars = text.unicodeScalars
        if scalars.contains(where: \.isControlOrLineSeparator) {
            scalars = String.UnicodeScalarView(scalars.map { $0.isControlOrLineSeparator ? " " : $0 })
            change = .controlCharactersInName
        }
        if scalars.count > Self.importedNameLimit {
            scalars = String.UnicodeScalarView(scalars.prefix(Self.importedNameLimit))
            change = .nameWasCut
        }
        return (String(scalars), change)
    }

    /// Returns the text, or nothing if it is too long or has control characters, and what was changed.
    var importedPhotoURL: (url: String?, change: ImportedUser.Change?) {
        let isKept =
            text.unicodeScalars.count <= Self.importedPhotoURLLimit
            && !text.unicodeScalars.contains(where: \.isControlOrLineSeparator)
        return isKept ? (text, nil) : (nil, .photoWasDropped)
    }
}

extension ProfileText? {
    /// - Throws: `INVALID_PROFILE_ATTRIBUTE` for a name that is too long or has control characters.
    func checkedName() throws(RequestRefusal) -> String? { try checked("displayName", limit: 256) }

    /// - Throws: `INVALID_PROFILE_ATTRIBUTE` for a URL that is too long or has control characters.
    func checkedPhotoURL() throws(RequestRefusal) -> String? { try checked("photoUrl", limit: 2048) }

    private func checked(_ member: String, limit: Int) throws(RequestRefusal) -> String? {
        guard let text = self?.text else { return nil }
        guard text.unicodeScalars.count <= limit else {
            throw .rejected(.invalidProfileAttribute, "\(member) must not be longer than \(limit) characters")
        }
        guard !text.unicodeScalars.contains(where: \.isControl) else {
            throw .rejected(.invalidProfileAttribute, "\(member) must not contain control characters")
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character, or separates lines or paragraphs.
    fileprivate var isControlOrLineSeparator: Bool { isControl || value == 0x2028 || value == 0x2029 }
}
