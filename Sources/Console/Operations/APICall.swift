package import Encoding
package import HTTP
package import JSON

/// A request to the API, which a form or a screen makes in the process. It passes the same checks as a request from
/// outside.
package struct APICall: Sendable, Equatable {
    /// The credential that the request has.
    package enum Credential: Sendable, Equatable {
        case administrator
        case apiKey
        /// For operations that accept every caller.
        case none
    }

    /// The `operationId`; `nil` for a request that the catalog did not make.
    package var operation: String?
    package let method: HTTP.Method
    /// Percent-encoded, without the query.
    package let path: String
    package var query: [Parameter]
    /// `nil` for a request without a body.
    package var body: JSONObject?
    package var credential: Credential

    package struct Parameter: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(
        _ method: HTTP.Method, _ path: String, query: [Parameter] = [], body: JSONObject? = nil,
        credential: Credential = .administrator
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.credential = credential
    }
}

/// The response to an ``APICall``.
package struct APIResult: Sendable {
    package let status: Int
    /// `nil` for a response without JSON.
    package let json: JSONValue?

    package init(status: Int, json: JSONValue?) {
        self.status = status
        self.json = json
    }

    package var isSuccess: Bool { (200...299).contains(status) }

    /// The code of an error; `nil` for an error without JSON.
    package var errorCode: String? { json?["error"]?["errorCode"]?.text }

    /// The message of an error. The code of many errors is part of it.
    package var errorMessage: String {
        json?["error"]?["message"]?.text ?? "The gateway responded with status \(status)."
    }
}

/// Members of JSON whose type is checked when they are read.
extension JSONValue {
    package subscript(member: ByteText) -> JSONValue? {
        if case .object(let members) = self { members[member] } else { nil }
    }

    /// The text of a string, an integer or a Boolean.
    package var text: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .bool(let isTrue): String(isTrue)
        case .null, .number, .array, .object: nil
        }
    }

    /// The elements of an array; empty for any other value.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    package var isTrue: Bool { self == .bool(true) }
}

extension JSONValue? {
    package var elements: [JSONValue] { self?.elements ?? [] }
    package var isTrue: Bool { self?.isTrue == true }
}
