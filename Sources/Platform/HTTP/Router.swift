internal import Encoding

/// The result of matching a method and a path.
public enum RouteMatch<Route: Sendable>: Sendable {
    /// The parameters are percent-decoded.
    case found(Route, parameters: [String: String])
    /// The path exists for these methods only, for the header field `Allow` (RFC 9110 §10.2.1).
    case methodNotAllowed([Method])
    case notFound
}

/// Matches paths to routes in a tree of path segments.
///
/// If a path matches both a literal and a parameter, the literal takes precedence, even if only the route with the
/// parameter has the method. In the last segment, a verb may follow a parameter: `{project}:queryAccounts`. A parameter
/// without a verb never matches a segment that contains an unescaped ":".
public struct Router<Route: Sendable>: Sendable {
    /// A segment of a path. Refers to the nodes of the next segment by their indices in ``nodes``.
    private struct Node: Sendable {
        var literals: [Substring: Int] = [:]
        /// The nodes of parameters with a verb, by the verb.
        var verbs: [Substring: Int] = [:]
        var parameter: Int?
        var routes: [Method: (route: Route, parameters: [String])] = [:]
    }

    private var nodes = [Node()]
    /// The nodes of templates without parameters, by the whole path, so that their look-up does not search the tree.
    private var literalPaths: [String: Int] = [:]

    /// The names of parameters whose values may contain any character except NUL.
    private let opaqueParameters: Set<String>

    /// - Parameter opaqueParameters: the names of parameters whose values may contain any character except NUL, because
    ///   the handlers only compare them.
    /// - Precondition: templates are well-formed, and each combination of method and path occurs once.
    public init(_ routes: [(Method, String, Route)], opaqueParameters: Set<String> = []) {
        self.opaqueParameters = opaqueParameters
        for (method, text, route) in routes {
            guard let template = RouteTemplate(parsing: text) else {
                preconditionFailure("malformed path template: \(text)")
            }
            let node = template.segments.reduce(0) { findOrAddChild(of: $0, for: $1) }
            precondition(nodes[node].routes[method] == nil, "routed twice: \(method.rawValue) \(text)")
            nodes[node].routes[method] = (route, template.parameters)
            if template.parameters.isEmpty { literalPaths[text] = node }
        }
    }

    /// - Parameter path: not percent-decoded, without the query.
    public func match(_ method: Method, _ path: String) -> RouteMatch<Route> {
        guard path.utf8.first == UInt8(ascii: "/") else { return .notFound }
        var values: [String] = []
        guard let node = literalPaths[path] ?? search(from: 0, pathSegments(path)[...], &values) else {
            return .notFound
        }
        let routes = nodes[node].routes
        let names = (routes[method] ?? routes.values.first)?.parameters ?? []
        guard zip(names, values).allSatisfy({ opaqueParameters.contains($0) || isUnambiguous($1) }) else {
            return .notFound
        }
        guard let (route, _) = routes[method] else {
            return .methodNotAllowed(Method.allCases.filter { routes[$0] != nil })
        }
        return .found(route, parameters: Dictionary(uniqueKeysWithValues: zip(names, values)))
    }

    /// Returns the node to which the path leads, if it has routes. Appends the values of the parameters to `values`.
    private func search(from index: Int, _ path: ArraySlice<Substring>, _ values: inout [String]) -> Int? {
        let node = nodes[index]
        guard let segment = path.first else { return node.routes.isEmpty ? nil : index }
        if let next = node.literals[segment], let found = search(from: next, path.dropFirst(), &values) {
            return found
        }
        guard let (next, text) = parameterChild(of: node, for: segment), let value = parameterValue(text) else {
            return nil
        }
        values.append(value)
        if let found = search(from: next, path.dropFirst(), &values) { return found }
        values.removeLast()
        return nil
    }

    private func parameterChild(of node: Node, for segment: Substring) -> (Int, Substring)? {
        guard let colon = segment.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return node.parameter.map { ($0, segment) }
        }
        return node.verbs[segment[colon...].dropFirst()].map { ($0, segment[..<colon]) }
    }

    private mutating func findOrAddChild(of index: Int, for segment: RouteTemplate.Segment) -> Int {
        let known: Int? =
            switch segment {
            case .literal(let text): nodes[index].literals[text]
            case .parameter: nodes[index].parameter
            case .parameterWithVerb(_, let verb): nodes[index].verbs[verb]
            }
        if let known { return known }
        nodes.append(Node())
        switch segment {
        case .literal(let text): nodes[index].literals[text] = nodes.count - 1
        case .parameter: nodes[index].parameter = nodes.count - 1
        case .parameterWithVerb(_, let verb): nodes[index].verbs[verb] = nodes.count - 1
        }
        return nodes.count - 1
    }
}

/// Percent-decodes a parameter once: `%2541` becomes `%41`.
///
/// - Returns: `nil` for empty text, more than 128 UTF-16 code units, NUL, or text that is not valid UTF-8.
private func parameterValue(_ text: Substring) -> String? {
    guard let value = PercentEncoding.decode(text.utf8), (1...128).contains(value.utf16.count), !value.utf8.contains(0)
    else { return nil }
    return value
}

/// Whether later code cannot interpret the value of a parameter differently: it has at most 128 bytes, no path
/// separator and no control character, and is not a dot segment.
private func isUnambiguous(_ value: String) -> Bool {
    value.utf8.count <= 128 && value != "." && value != ".."
        && value.unicodeScalars.allSatisfy { $0 != "/" && $0 != "\\" && $0.properties.generalCategory != .control }
}

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
    ///   parameter name once, has ":" in its last segment only, has only letters in names and verbs, and contains no
    ///   space and none of the characters `?#%\`.
    init?(parsing template: String) {
        guard template.beginsExactly(with: "/"), !template.contains(where: { "?#% \\".contains($0) }) else {
            return nil
        }
        let texts = pathSegments(template)
        guard texts == [""] || !texts.contains("") else { return nil }
        let segments = texts.compactMap(Self.segment)
        guard segments.count == texts.count, !texts.dropLast().contains(where: { $0.contains(":") }) else { return nil }
        self.segments = segments
        guard Set(parameters).count == parameters.count else { return nil }
    }

    private static func segment(_ text: Substring) -> Segment? {
        guard text.beginsExactly(with: "{") else { return text.contains { "{}".contains($0) } ? nil : .literal(text) }
        guard let end = text.firstIndex(of: "}") else { return nil }
        let name = text[..<end].dropFirst()
        let suffix = text[end...].dropFirst()
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter }) else { return nil }
        if suffix.isEmpty { return .parameter(name) }
        let verb = suffix.dropFirst()
        guard suffix.first == ":", !verb.isEmpty, verb.allSatisfy({ $0.isLetter }) else { return nil }
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
