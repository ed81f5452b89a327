extension ClusterFiles {
    /// A URI that libpq understands; whatever the environment says of ports and users is overruled.
    func url(database: String) -> String {
        "postgresql:///\(escaped(database))?host=\(escaped(sockets))&port=5432&user=postgres"
    }
}

/// Percent-encodes all but the unreserved characters (RFC 3986 §2.3) and the slash.
private func escaped(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
    return text.utf8.reduce(into: "") { result, byte in
        if plain.contains(byte) {
            result.append(Character(UnicodeScalar(byte)))
        } else {
            result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
    }
}
