internal import Encoding

extension ClusterFiles {
    /// Returns a URI for libpq that overrides the environment's port and user.
    func url(database: String) -> String {
        "postgresql:///\(escaped(database))?host=\(escaped(sockets))&port=5432&user=postgres"
    }
}

private func escaped(_ text: String) -> String { PercentEncoding.encode(text, keeping: "/") }
