internal import HTTP
internal import Identity

extension CallerCredential {
    /// Ignores schemes other than `Bearer`.
    init(_ request: Request) {
        let key = request.query("key").nonEmpty ?? request.headers["x-goog-api-key"].nonEmpty
        let words = request.headers["Authorization"]?.split(separator: " ", maxSplits: 1) ?? []
        let bearer = words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : nil
        self.init(apiKey: key, bearer: bearer)
    }
}

extension String? {
    /// `nil` for an empty text, for fields where both mean the same.
    var nonEmpty: String? { flatMap { $0.isEmpty ? nil : $0 } }

    /// - Throws: `code` for an absent or empty text.
    func required(_ code: ErrorCode) throws(RequestRefusal) -> String {
        guard let self, !self.isEmpty else { throw .rejected(code) }
        return self
    }
}
