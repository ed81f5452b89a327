/// The two formats of `firebase auth:export`.
enum UserFormat: String, CaseIterable {
    case json
    case csv

    /// - Parameter requested: `nil` for CSV if `path` ends in `.csv`, otherwise for JSON.
    init(_ requested: UserFormat?, path: String) {
        self = requested ?? (path.lowercased().hasSuffix(".csv") ? .csv : .json)
    }

    /// The maximum length of a row, in bytes. No exported row has nearly this length.
    static let rowLimit = 1_048_576
}

/// An unparsed row of a file.
struct UserRow {
    /// The line where the row begins, from 1.
    let line: Int
    /// `nil` for a row of more than ``UserFormat/rowLimit`` bytes; empty for an element that is not an object.
    let json: [UInt8]?
}

extension Option {
    static let userFormat = choice(
        "format", "NAME", UserFormat.allCases.map(\.rawValue), "format of FILE",
        defaultNote: "the extension of FILE, or json")
}
