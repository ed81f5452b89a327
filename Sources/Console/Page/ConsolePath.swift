internal import Encoding

/// The paths of the console's pages.
package enum ConsolePath {
    /// - Parameters:
    ///   - segments: below the project's path, not encoded.
    ///   - query: added to the parameter that names the tenant.
    package static func text(_ realm: RealmName, _ segments: [String], _ query: [(String, String)] = []) -> String {
        let path = (["", "console", realm.project] + segments).map { PercentEncoding.encode($0) }.joined(separator: "/")
        let tenant = realm.tenant.map { [("tenant", $0)] } ?? []
        let all = tenant + query
        return all.isEmpty ? path : path + "?" + PercentEncoding.encode(form: all)
    }

    package static func withQuery(_ path: String, _ name: String, _ value: String) -> String {
        path + (path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + PercentEncoding.encode(form: [(name, value)])
    }
}
