internal import Encoding
internal import Gateway
internal import Identity
internal import JSON

/// The columns of the CSV files of `firebase auth:export`, which have no header.
enum CSVColumns {
    private static let members: [(column: Int, name: ByteText)] = [
        (0, "localId"), (1, "email"), (2, "emailVerified"), (3, "passwordHash"), (4, "salt"), (5, "displayName"),
        (6, "photoUrl"), (23, "createdAt"), (24, "lastSignedInAt"), (25, "phoneNumber"), (26, "disabled"),
        (27, "customAttributes"),
    ]

    /// The first of each provider's four columns, which contain ``providerMembers``.
    private static let providers: [(column: Int, name: String)] = [
        (7, "google.com"), (11, "facebook.com"), (15, "twitter.com"), (19, "github.com"), (28, "apple.com"),
        (32, "microsoft.com"), (36, "gc.apple.com"), (40, "playgames.google.com"), (44, "linkedin.com"),
        (48, "yahoo.com"),
    ]
    private static let providerMembers: [ByteText] = ["rawId", "email", "displayName", "photoUrl"]
    private static let booleans: Set<ByteText> = ["emailVerified", "disabled"]
    private static let columnCount = 52
    /// Firebase's command line writes 28 columns, and four more for each provider up to the last one of the user.
    private static let columnCounts = Array(stride(from: 28, through: columnCount, by: 4))

    /// Returns the numbers of columns that a row may have. With another number, the row may have lost or gained a
    /// separator, so that values would be read from the wrong columns.
    ///
    /// - Parameter first: the number of columns of the first row. A spreadsheet drops columns that are empty in every
    ///   row, and fills up the others.
    static func acceptedCounts(afterRowWith first: Int) -> [Int] {
        guard !columnCounts.contains(first), first > columnCounts[0], first < columnCount else { return columnCounts }
        return [first]
    }

    /// Converts a row to an element of `users` in a JSON file.
    static func json(of fields: [[UInt8]]) -> [UInt8] {
        func value(_ column: Int, _ name: ByteText) -> JSONValue? {
            guard column < fields.count, !fields[column].isEmpty else { return nil }
            // Rejects invalid UTF-8 instead of replacing it: an array makes the row invalid.
            guard let text = String(validating: fields[column], as: UTF8.self) else { return .array([]) }
            // Spreadsheets write booleans in upper case.
            let folded = booleans.contains(name) ? text.lowercased() : ""
            return ["true", "false"].containsExactly(folded) ? .bool(folded.isExactly("true")) : .string(text)
        }
        var user: JSONObject = [:]
        for (column, name) in members { user[name] = value(column, name) }
        let identities = providers.compactMap { column, provider -> JSONValue? in
            guard let rawId = value(column, "rawId") else { return nil }
            var identity: JSONObject = ["providerId": .string(provider), "rawId": rawId]
            for (offset, name) in providerMembers.enumerated() { identity[name] = value(column + offset, name) }
            return .object(identity)
        }
        if !identities.isEmpty { user["providerUserInfo"] = .array(identities) }
        // The encoding does not fail. If it did, the empty text would be rejected as an invalid row.
        return (try? StrictJSON.encode(JSONValue.object(user))) ?? []
    }

    /// Returns the line of a user. Identities of providers that have no columns are omitted.
    static func line(of user: ExportedUser) -> String {
        var fields = [String](repeating: "", count: columnCount)
        fields[0] = user.localId
        fields[1] = user.email ?? ""
        fields[2] = user.emailVerified ? "true" : "false"
        fields[3] = user.passwordHash ?? ""
        // The column `salt` (4) stays empty, because the exported hashes contain their salts.
        fields[5] = user.displayName ?? ""
        fields[6] = user.photoUrl ?? ""
        fields[23] = user.createdAt
        fields[24] = user.lastSignedInAt ?? ""
        fields[25] = user.phoneNumber ?? ""
        fields[26] = user.disabled ? "true" : "false"
        fields[27] = user.customAttributes ?? ""
        for identity in user.providerUserInfo {
            guard let column = providers.first(where: { $0.name.isExactly(identity.providerId) })?.column else {
                continue
            }
            let texts = [identity.rawId, identity.email ?? "", identity.displayName ?? "", identity.photoUrl ?? ""]
            fields.replaceSubrange(column..<column + texts.count, with: texts)
        }
        return fields.map(quoted).joined(separator: ",") + "\n"
    }

    /// Returns the number of identities that the line of a user does not contain.
    static func identitiesWithoutColumns(of user: ExportedUser) -> Int {
        user.providerUserInfo.count { identity in !providers.contains { $0.name.isExactly(identity.providerId) } }
    }

    private static func quoted(_ text: String) -> String {
        let mark = UInt8(ascii: "\"")
        // Separators, quotation marks, and the beginning of a byte order mark, which would be dropped.
        let isQuoted = text.utf8.contains { [mark, 0x2C, 0x3B, 0x09, 0x0A, 0x0D, 0xEF].contains($0) }
        guard isQuoted else { return text }
        // Doubles bytes, because a mark and a combining character are one `Character`.
        return "\"" + String(decoding: text.utf8.flatMap { $0 == mark ? [mark, mark] : [$0] }, as: UTF8.self) + "\""
    }
}
