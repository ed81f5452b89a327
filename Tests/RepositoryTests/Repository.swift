import FoundationEssentials
import Testing

/// The files of the checkout that these tests belong to.
enum Repository {
    static let root: String = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(3)
        return parts.joined(separator: "/")
    }()

    static func text(_ path: String) throws -> String {
        try String(contentsOfFile: root + "/" + path, encoding: .utf8)
    }

    /// Returns the paths below `folder` that end with `suffix`, relative to the root.
    static func files(in folder: String, ending suffix: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root + "/" + folder)
            .filter { $0.hasSuffix(suffix) }.map { folder + "/" + $0 }.sorted()
    }
}
