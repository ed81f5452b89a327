/// The two formats of `firebase auth:export`.
enum UserFormat: String, CaseIterable {
    case json
    case csv

    /// - Parameter requested: the format of `--format`. If it is `nil`, the format is CSV if `path` ends in `.csv`, and
    ///   JSON otherwise.
    init(_ requested: UserFormat?, path: String) {
        self = requested ?? (path.lowercased().hasSuffix(".csv") ? .csv : .json)
    }

    /// The maximum length of a row without its newline, in bytes. The rows of an export are much shorter.
    static let rowLimit = 1_048_576
}

/// A user in a file, before the members are parsed: a row of a CSV file, or an element of `users` in a JSON file.
struct UserRow {
    /// The line where the row begins, from 1.
    let line: Int
    /// The user as JSON text, whose members are not yet checked.
    let json: Result<[UInt8], Fault>

    enum Fault: Error, Equatable {
        /// More than ``UserFormat/rowLimit`` bytes.
        case tooLong
        /// An element of `users` that is not an object.
        case notAnObject
        /// A field of a CSV file continues after its closing quotation mark.
        case textAfterQuotationMark
        /// The number of columns of a row of a CSV file is not one of ``CSVColumns/acceptedCounts(afterRowWith:)``.
        case columnCount(Int, accepted: [Int])
    }
}

extension UserRow.Fault {
    var message: String {
        switch self {
        case .tooLong: "the row is longer than \(UserFormat.rowLimit) bytes"
        case .notAnObject: "the row is not a JSON object"
        case .columnCount(let count, let accepted):
            "the row has \(count) \(count == 1 ? "column" : "columns") instead of "
                + accepted.map(String.init).joined(separator: ", ")
        case .textAfterQuotationMark: "a field continues after its closing quotation mark"
        }
    }
}

extension Option {
    static let userFormat = choice(
        "format", "NAME", UserFormat.allCases.map(\.rawValue), "format of FILE",
        defaultNote: "csv if FILE ends in .csv, otherwise json")
}
