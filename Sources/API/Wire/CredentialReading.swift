internal import HTTP

extension CallerCredential {
    /// A scheme other than `Bearer` counts as no credential.
    init(_ request: Request) {
        let key = request.query("key").nonEmpty ?? request.headers["x-goog-api-key"].nonEmpty
        let words = request.headers["Authorization"]?.split(separator: " ", maxSplits: 1) ?? []
        let bearer = words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : nil
        self.init(apiKey: key, bearer: bearer)
    }
}

extension String? {
    /// For fields whose empty text means the same as their absence.
    var nonEmpty: String? { flatMap { $0.isEmpty ? nil : $0 } }
}
