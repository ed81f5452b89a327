internal import HTTP
internal import Identity

extension RequestContext {
    init(_ client: ClientAddress, _ request: Request) {
        let headers = request.headers
        self.init(
            network: client.network, device: headers["User-Agent"].flatMap { Self.printable($0) },
            language: Language(
                firebaseLocale: headers["X-Firebase-Locale"], acceptLanguage: headers["Accept-Language"]),
            trace: RequestTrace(network: client.logPrefix, request: request.id))
    }

    /// - Returns: `nil` if no character is left.
    private static func printable(_ text: String) -> String? {
        let printable = String(
            decoding: text.utf8.lazy.filter { (0x20...0x7E).contains($0) }.prefix(200), as: UTF8.self)
        return printable.isEmpty ? nil : printable
    }
}

extension Language {
    /// - Parameters:
    ///   - firebaseLocale: one tag, which takes precedence.
    ///   - acceptLanguage: RFC 9110 §12.5.4. The supported language with the highest weight applies.
    init?(firebaseLocale: String?, acceptLanguage: String?) {
        let wanted = [firebaseLocale].compactMap(\.self) + Self.ranked(acceptLanguage ?? "")
        guard let language = wanted.lazy.compactMap(Self.init(tag:)).first else { return nil }
        self = language
    }

    /// - Parameter tag: RFC 5646. Only the primary subtag applies.
    init?(tag: String) {
        self.init(rawValue: tag.prefix { $0 != "-" && $0 != "_" }.lowercased())
    }

    private static func ranked(_ header: String) -> [String] {
        let ranges = header.prefix(1000).split(separator: ",").map { range in
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return (tag: parts.first ?? "", weight: weight)
        }
        return ranges.filter { $0.weight > 0 }.enumerated()
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element.tag)
    }
}
