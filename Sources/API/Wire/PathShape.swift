internal import Encoding
internal import HTTP

/// The path of a request that matches no operation, for the log: segments that no path of an operation has are
/// replaced by `*`, because a misplaced segment may be a secret, such as a token or an API key.
struct PathShape: CustomStringConvertible {
    private static let maximumSegments = 8

    let description: String

    init(_ path: String) {
        let segments = path.split(separator: "/", maxSplits: Self.maximumSegments, omittingEmptySubsequences: true)
        let shown = segments.prefix(Self.maximumSegments).map { segment in
            segment.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                .map { Self.words.contains(ByteText($0)) ? String($0) : "*" }.joined(separator: ":")
        }
        description = "/" + shown.joined(separator: "/") + (segments.count > Self.maximumSegments ? "/…" : "")
    }

    /// The literal parts of the paths of all operations.
    private static let words = Set(
        Endpoint.all.flatMap { $0.path.split(whereSeparator: { "/:".contains($0) }) }
            .filter { !$0.contains("{") }.map { ByteText($0) })
}
