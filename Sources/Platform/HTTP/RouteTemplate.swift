/// A parsed path template: `/v1/projects/{project}/accounts:lookup`.
struct RouteTemplate {
    enum Segment: Equatable {
        case literal(Substring)
        case parameter(Substring)
        /// `{project}:queryAccounts`, in the last segment only.
        case parameterWithVerb(Substring, verb: Substring)
    }

    let segments: [Segment]

    var parameters: [String] {
        segments.compactMap { segment in
            switch segment {
            case .literal: nil
            case .parameter(let name), .parameterWithVerb(let name, _): String(name)
            }
        }
    }

    /// - Returns: `nil` unless the template begins with "/", has no empty segment (except "/" itself), uses each
    ///   parameter name once, and has ":" in its last segment only.
    init?(parsing template: String) {
        guard template.hasPrefix("/"), !template.contains(where: { "?#% \\".contains($0) }) else { return nil }
        let texts = pathSegments(template)
        guard texts == [""] || !texts.contains("") else { return nil }
        let segments = texts.compactMap(Self.segment)
        guard segments.count == texts.count, !texts.dropLast().contains(where: { $0.contains(":") }) else { return nil }
        self.segments = segments
        guard Set(parameters).count == parameters.count else { return nil }
    }

    private static func segment(_ text: Substring) -> Segment? {
        guard text.hasPrefix("{") else { return text.contains { "{}".contains($0) } ? nil : .literal(text) }
        guard let end = text.firstIndex(of: "}") else { return nil }
        let name = text[..<end].dropFirst()
        let rest = text[end...].dropFirst()
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter }) else { return nil }
        if rest.isEmpty { return .parameter(name) }
        let verb = rest.dropFirst()
        guard rest.first == ":", !verb.isEmpty, verb.allSatisfy({ $0.isLetter }) else { return nil }
        return .parameterWithVerb(name, verb: verb)
    }
}

/// The segments of a path that begins with "/".
func pathSegments(_ path: String) -> [Substring] {
    var segments: [Substring] = []
    var start = path.utf8.index(after: path.startIndex)
    while let slash = path.utf8[start...].firstIndex(of: UInt8(ascii: "/")) {
        segments.append(path[start..<slash])
        start = path.utf8.index(after: slash)
    }
    segments.append(path[start...])
    return segments
}
