import Foundation
import Testing

@testable import SekishoAuth
@testable import Support

/// Checks requests and responses against the contract (`openapi.json`, which is generated from `openapi.yaml`).
enum Contract {
    static let document: JSON? = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        // This path has five components below the repository.
        parts.removeLast(5)
        let path = parts.joined(separator: "/") + "/Sources/CReference/openapi.json"
        return FileManager.default.contents(atPath: path).flatMap { try? JSON([UInt8]($0)) }
    }()

    /// Records an issue for each difference from the contract. Responses that are not JSON are not checked.
    ///
    /// - Throws: an error if the contract does not describe the operation, its request body or the status.
    static func check(_ request: TransportRequest, _ response: TransportResponse) throws {
        let document = try #require(document)
        let operation = try #require(
            document["paths"]?[request.url.path]?[request.method.lowercased()], "\(request.url.path)")
        if let body = request.body {
            let type = try #require(request.headers["Content-Type"])
            let schema = try #require(operation["requestBody"]?["content"]?[type]?["schema"], "\(type)")
            let value = type == "application/json" ? try JSON([UInt8](body)) : try form(body)
            report(SchemaCheck(document).problems(value, schema), request)
        }
        guard response.header("Content-Type")?.hasPrefix("application/json") == true else { return }
        let responses = try #require(operation["responses"])
        let described = try #require(
            responses[String(response.status)] ?? responses["\(response.status / 100)XX"], "\(response.status)")
        let name = described["$ref"]?.string?.split(separator: "/").last.map(String.init)
        let content = name.flatMap { document["components"]?["responses"]?[$0] } ?? described
        guard let schema = content["content"]?["application/json"]?["schema"] else { return }
        report(SchemaCheck(document).problems(try JSON([UInt8](response.body)), schema), request)
    }

    /// The fields of a form as an object.
    private static func form(_ body: Data) throws -> JSON {
        var components = URLComponents()
        components.percentEncodedQuery = String(decoding: body, as: UTF8.self)
        let items = try #require(components.queryItems)
        return .object(Dictionary(uniqueKeysWithValues: items.map { ($0.name, .string($0.value ?? "")) }))
    }

    private static func report(_ problems: [String], _ request: TransportRequest) {
        for problem in problems { Issue.record("\(request.url.path): \(problem)") }
    }
}

/// Validates types, members, enumerations and `minLength`. Ignores formats, patterns and all other bounds. Members that
/// the schema does not describe are problems, unless it has `additionalProperties`. Values that a list of known values
/// (`x-extensible-enum`) lacks are problems too, unlike for apps.
struct SchemaCheck {
    private let document: JSON

    init(_ document: JSON) { self.document = document }

    /// Returns the differences of a value from a schema, each with its path in the value (`$` is the value itself).
    func problems(_ value: JSON, _ schema: JSON, at path: String = "$") -> [String] {
        if let name = schema["$ref"]?.string?.split(separator: "/").last.map(String.init) {
            guard let target = document["components"]?["schemas"]?[name] else { return ["\(path): unknown \(name)"] }
            return problems(value, target, at: path)
        }
        if let parts = schema["allOf"]?.elements, !parts.isEmpty {
            return parts.flatMap { problems(value, $0, at: path) }
        }
        var found = typeProblems(value, schema, at: path)
        let allowed = (schema["enum"] ?? schema["x-extensible-enum"])?.elements ?? []
        if !allowed.isEmpty, !allowed.contains(value) {
            found.append("\(path): is not one of the allowed values")
        }
        return found
    }

    private func typeProblems(_ value: JSON, _ schema: JSON, at path: String) -> [String] {
        switch (schema["type"]?.string, value) {
        case ("object", .object(let members)): return memberProblems(members, schema, at: path)
        case ("array", .array(let elements)):
            let items = schema["items"] ?? .object([:])
            return elements.enumerated().flatMap { problems($1, items, at: "\(path)[\($0)]") }
        case ("string", .string(let text)):
            let isTooShort = schema["minLength"].map { .number(Double(text.count)) < $0 } ?? false
            return isTooShort ? ["\(path): is too short"] : []
        case ("boolean", .bool), ("number", .number), (nil, _): return []
        case ("integer", .number(let number)): return number.rounded() == number ? [] : ["\(path): is not an integer"]
        case (let type, _): return ["\(path): is not of type \(type ?? "")"]
        }
    }

    private func memberProblems(_ members: [String: JSON], _ schema: JSON, at path: String) -> [String] {
        let required = (schema["required"]?.elements ?? []).compactMap(\.string)
        var found = required.filter { members[$0] == nil }.map { "\(path).\($0): is missing" }
        for (name, value) in members {
            if let property = schema["properties"]?[name] {
                found += problems(value, property, at: "\(path).\(name)")
            } else if let other = schema["additionalProperties"] {
                if case .object = other { found += problems(value, other, at: "\(path).\(name)") }
            } else {
                found.append("\(path).\(name): is not described")
            }
        }
        return found
    }
}

extension JSON {
    fileprivate static func < (one: JSON, other: JSON) -> Bool {
        guard case (.number(let one), .number(let other)) = (one, other) else { return false }
        return one < other
    }
}
