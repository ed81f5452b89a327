/// Which members of a resource an update is about (`google.protobuf.FieldMask` in a query).
struct FieldMask {
    /// `nil`: all of them.
    private let paths: [Substring]?

    /// - Parameter query: paths of members in camelCase with dots between, separated by commas.
    init(_ query: String?) {
        paths = query.nonEmpty?.split(separator: ",")
    }

    var isEverything: Bool { paths == nil }

    /// Whether `path`, or something that it is a part of, is named. Unknown paths name nothing.
    func names(_ path: String) -> Bool {
        guard let paths else { return true }
        return paths.contains { path == $0 || path.hasPrefix("\($0).") }
    }
}
