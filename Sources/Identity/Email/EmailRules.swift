extension EmailSettings {
    /// The allowed length of sender names and subjects in Unicode scalars.
    static let textLength = 1...200
    private static let urlLength = 2048

    /// - Parameter ownHost: see ``ConfigurationRules``.
    func problems(in project: Project, ownHost: String?) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        if senderName.map(Self.isValidHeaderText) == false { problems.append(.emailSenderName) }
        if let actionURL {
            if let host = Self.host(ofLink: actionURL) {
                let isAllowed = host == ownHost?.lowercased() || project.listsDomain(host)
                if !isAllowed { problems.append(.emailActionHost) }
            } else {
                problems.append(.emailActionURL)
            }
        }
        for kind in OutgoingEmail.Kind.allCases {
            for language in Language.allCases where subjects[kind]?[language].map(Self.isValidHeaderText) == false {
                problems.append(.emailSubject(kind, language))
            }
        }
        return problems
    }

    /// Whether the text may be part of a header field of an email, in which a line break would start another field.
    private static func isValidHeaderText(_ text: String) -> Bool {
        textLength.contains(text.unicodeScalars.count)
            && !text.unicodeScalars.contains { scalar in
                [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            }
    }

    /// - Returns: the host in lower case; `nil` unless `text` is an https URL without user, query and fragment. http is
    ///   accepted for loopback hosts.
    private static func host(ofLink text: String) -> String? {
        guard text.utf8.count <= urlLength,
            let match = text.wholeMatch(
                of: /(https?):\/\/([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(\/[!$&-;=@-Z_a-z~%]*)?/)
        else { return nil }
        let host = match.2.lowercased()
        return match.1 == "https" || ["127.0.0.1", "localhost", "[::1]"].contains(host) ? host : nil
    }
}

extension OutgoingEmail.Kind {
    /// The name in configuration files.
    public var name: String { "\(self)" }
}
