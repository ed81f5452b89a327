internal import API
internal import Encoding
internal import Gateway
internal import HTTP
internal import JSON

extension [Endpoint] {
    /// Returns `endpoints` and one more endpoint, which describes them in OpenAPI, because openapi.yaml does not
    /// contain them.
    static func withDescription(of endpoints: [Endpoint]) -> [Endpoint] {
        endpoints + [
            .outsideContract("getEmulatorDescription", .get, "/emulator/openapi.json") { _ in
                try .json(description(of: endpoints))
            }
        ]
    }

    private static func description(of endpoints: [Endpoint]) -> JSONValue {
        let paths = Dictionary(grouping: endpoints) { ByteText($0.path) }.mapValues { operations in
            let methods = operations.map { (ByteText($0.method.rawValue.lowercased()), operation($0)) }
            return JSONValue.object(Dictionary(uniqueKeysWithValues: methods))
        }
        return .object([
            "openapi": .string("3.0.3"),
            "info": .object([
                "title": .string("Sekisho: endpoints of `sekisho dev` that openapi.yaml does not contain"),
                "version": .string("1"),
            ]),
            "paths": .object(paths),
        ])
    }

    private static func operation(_ endpoint: Endpoint) -> JSONValue {
        let parameters = endpoint.path.matches(of: /\{(\w+)\}/).map { match in
            JSONValue.object([
                "name": .string(String(match.output.1)), "in": .string("path"), "required": .bool(true),
                "schema": .object(["type": .string("string")]),
            ])
        }
        return .object([
            "operationId": .string(endpoint.operationID),
            "parameters": .array(parameters),
            "responses": .object(["default": .object(["description": .string("JSON, or an HTML page for emails")])]),
        ])
    }
}
