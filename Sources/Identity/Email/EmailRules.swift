extension EmailSettings {
    /// The allowed length of sender names and subjects in Unicode scalars.
    static let textLength = 1...200
    private static let urlLength = 2048

    /// Returns the reasons why the settings are invalid.
    ///
    /// - Parameter ownHost: the host of the gateway's public URL, which links may open too.
    func problems(in realm: Realm, ownHost: String?) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        if senderName.map(Self.isValidHeaderText) == false { problems.append(.emailSenderName) }
        if let actionURL {
            if let host = actionURL.hostOfURLWithoutQuery(byteLimit: Self.urlLength, acceptsLoopback: true) {
                let isAllowed = host == ownHost?.lowercased() || realm.project.listsAuthorizedDomain(host)
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
    static func isValidHeaderText(_ text: String) -> Bool {
        textLength.contains(text.unicodeScalars.count)
            && !text.unicodeScalars.contains { scalar in
                [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            }
    }
}

extension OutgoingEmail.Kind {
    /// The name in configuration files.
    public var name: String { "\(self)" }
}
