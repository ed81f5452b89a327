/// Which members of a resource an update is about (`google.protobuf.FieldMask` in a query).
struct FieldMask {
    /// `nil`: all of them.
    private let paths: [String]?

    /// - Parameter query: paths of members with dots between, separated by commas; in snake_case too, as bodies are.
    init(_ query: String?) {
        paths = query.nonEmpty?.split(separator: ",").map(Self.camelCased)
    }

    private static func camelCased(_ path: Substring) -> String {
        let words = path.split(separator: "_")
        return (words.prefix(1).map(String.init) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() })
            .joined()
    }

    var isEverything: Bool { paths == nil }

    /// Whether `path`, or something that it is a part of, is named. Unknown paths name nothing.
    func names(_ path: String) -> Bool {
        guard let paths else { return true }
        return paths.contains { path == $0 || path.hasPrefix("\($0).") }
    }
}
