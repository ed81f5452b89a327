internal import Gateway

/// The two formats of `firebase auth:export`.
enum UserFormat: String {
    case json
    case csv

    /// - Parameter name: as asked for; `nil` lets the end of the path tell.
    init(_ name: String?, path: String) throws(UsageError) {
        guard let name else {
            self = path.lowercased().hasSuffix(".csv") ? .csv : .json
            return
        }
        guard let format = UserFormat(rawValue: name) else { throw UsageError(message: "--format is json or csv") }
        self = format
    }

    /// A longer row is none that anybody exported.
    static let rowLimit = 1_048_576
}

/// What stands between two users, as it came.
struct UserRow {
    /// Where it begins, from 1 on.
    let line: Int
    /// `nil` for a row of more than ``UserFormat/rowLimit`` bytes.
    let json: [UInt8]?
}
