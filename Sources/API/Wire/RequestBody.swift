internal import Encoding
public import HTTP
internal import Identity
internal import JSON

/// The body of a request to the client API. Every body may name a tenant. A body that names a project is rejected,
/// because only administrators can choose a project.
protocol ClientRequestBody: Decodable {
    var tenantId: String? { get }
    var targetProjectId: String? { get }
}

extension EndpointCall {
    /// Decodes the body of a client's request. Rejects a body that names a project, or another tenant than the
    /// client's.
    func body<Content: ClientRequestBody>(as type: Content.Type, for client: CallingApp) throws -> Content {
        let content = try decodedBody(as: type)
        try content.checkProjectAndTenant(for: client)
        return content
    }

    /// Decodes the body of an administrator's request. Rejects a body that names another project or tenant than the
    /// administrator's.
    func body<Content: Decodable>(as type: Content.Type, for administrator: Administrator) throws -> Content {
        if let largeBody {
            return try mappingErrors {
                try largeBody.target.get().check(for: administrator)
                guard let content = try largeBody.content.get() as? Content else {
                    preconditionFailure("the operation has another large content than \(type)")
                }
                return content
            }
        }
        return try decoding { json in
            try json.decodeBody(as: TargetFields.self).check(for: administrator)
            return try json.decodeBody(as: type)
        }
    }

    /// The project and the tenant that the body names, unchecked.
    func targetFields() throws -> TargetFields {
        guard let largeBody else { return try decodedBody(as: TargetFields.self) }
        return try mappingErrors { try largeBody.target.get() }
    }

    /// Whether the body has the content type of a form, and does not begin like a JSON object. Many tools send JSON
    /// with the content type of a form by default.
    var isForm: Bool {
        let contentType = request.headers["Content-Type"]?.lowercased() ?? ""
        return contentType.beginsExactly(with: "application/x-www-form-urlencoded")
            && request.body.first != UInt8(ascii: "{")
    }

    /// The names and values of a form; `nil` if the body is not a form or is malformed.
    var form: [(name: ByteText, value: String)]? { isForm ? FormDecoder.decode(request.body) : nil }

    /// The maximum size of a body that stays parsed while the handler runs, in bytes. A parsed body takes up to twenty
    /// times the memory of its bytes, but the memory limit of request bodies counts only the bytes.
    private static var parsedBodyLimit: Int { 2048 }

    /// Parses a body of up to ``parsedBodyLimit`` bytes once; every later decoding shares the result. Each decoding of
    /// a larger body parses it again, except of a ``LargeBody``.
    mutating func parseBody() {
        guard parsedBody == nil, request.body.count <= Self.parsedBodyLimit else { return }
        parsedBody = Result { () throws(JSONFault) in try parsed() }
    }

    private func parsed() throws(JSONFault) -> ParsedJSON {
        if let parsedBody { return try parsedBody.get() }
        return try ParsedJSON(request.body.isEmpty ? Array("{}".utf8) : request.body)
    }

    /// Decodes the JSON body, regardless of its content type, without checking the project and the tenant that it
    /// names. An empty body counts as an object without members. Unknown members are ignored, `null` means absent, and
    /// names may be in snake_case.
    ///
    /// - Parameter camelCasesNames: `false` for a map whose names are data and must not be converted.
    /// - Throws: ``RequestRefusal``, or what `Content` throws.
    public func decodedBody<Content: Decodable>(as type: Content.Type, camelCasesNames: Bool = true) throws -> Content {
        try decoding { try $0.decodeBody(as: type, camelCasesNames: camelCasesNames) }
    }

    /// The whole JSON body, with names in camel case, including members that no type knows.
    func camelCasedBody() throws -> JSONValue {
        try decoding { try $0.camelCasedValue() }
    }

    /// Parses the body, and returns the value that `decode` decodes from it.
    ///
    /// - Throws: ``RequestRefusal`` for invalid JSON and for a `DecodingError`; otherwise what `decode` throws.
    private func decoding<Value>(_ decode: (ParsedJSON) throws -> Value) throws -> Value {
        try mappingErrors { try decode(parsed()) }
    }

    private func mappingErrors<Value>(_ decode: () throws -> Value) throws -> Value {
        do {
            return try decode()
        } catch let fault as JSONFault {
            throw RequestRefusal(fault)
        } catch let error as DecodingError {
            throw RequestRefusal(error)
        }
    }
}

extension ParsedJSON {
    /// Decodes the body of a request. Clients write scalars in several ways, for example `"true"` for `true`, so they
    /// are converted.
    func decodeBody<Content: Decodable>(as type: Content.Type, camelCasesNames: Bool = true) throws -> Content {
        try decode(type, camelCasesNames: camelCasesNames, convertsScalars: true)
    }
}

extension Response {
    public static func json(_ value: some Encodable, status: Int = 200) throws -> Response {
        .json(encoded: try StrictJSON.encode(value), status: status)
    }

    static func json(encoded bytes: [UInt8], status: Int = 200) -> Response {
        Response(status: status, headers: ["Content-Type": "application/json; charset=UTF-8"], body: bytes)
    }

    /// The response of Sekisho's own operations that return nothing.
    static var noContent: Response { Response(status: 204) }
}

/// The body `{}` of a response with status 200. Operations of Firebase that return nothing have it.
struct EmptyObject: Encodable {}

/// Shadows the standard library's function. The synthesized decoding of every optional text in this module therefore
/// accepts numbers, also in import files, and enforces the limit of the text's length.
extension KeyedDecodingContainer {
    func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? {
        guard let text = try wireText(forKey: key) else { return nil }
        try requireBounds(of: text, named: key.stringValue, at: (codingPath + [key]).pointer)
        return text
    }

    private func wireText(forKey key: Key) throws -> String? {
        do {
            return try unboundedText(forKey: key)
        } catch is DecodingError {
            return try decodeIfPresent(WireText.self, forKey: key)?.text
        }
    }
}

extension KeyedDecodingContainerProtocol {
    /// Calls the standard library's function, which is shadowed in ``KeyedDecodingContainer``.
    fileprivate func unboundedText(forKey key: Key) throws -> String? { try decodeIfPresent(String.self, forKey: key) }
}

/// A text of any length, or an integer that is converted to text.
struct WireText: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            text = try container.decode(String.self)
        } catch let mismatch as DecodingError {
            guard let number = Self.number(container) else { throw mismatch }
            text = number
        }
    }

    /// - Returns: `nil` for a value that is not an integer or is out of range.
    private static func number(_ container: any SingleValueDecodingContainer) -> String? {
        (try? container.decode(Int64.self)).map(String.init)
    }
}

/// Checks the length of a text member, whose limit depends on the member's name on the wire. Also rejects control
/// characters in a text that is shown to users.
func requireBounds(
    of text: String, named member: String, at pointer: @autoclosure () -> String
) throws(RequestRefusal) {
    // Lengths are counted in Unicode scalars or in bytes of UTF-8.
    let (limit, countsCharacters, isShown) =
        switch member {
        case "displayName": (256, true, true)
        case "continueUri": (2048, true, true)
        case "email", "identifier", "sessionId": (1024, true, false)
        case "password", "rawPassword", "newPassword", "oldPassword": (4096, false, false)
        // Fits an ID token of 16 KiB: percent-encoded with other parameters, or as claims in a token of the gateway.
        case "postBody", "pendingToken", "mergeToken": (48 * 1024, false, false)
        default: (16 * 1024, false, false)
        }
    // A text has at least as many bytes as characters.
    guard text.utf8.count <= limit || countsCharacters && text.unicodeScalars.count <= limit else {
        throw .invalidField(
            pointer(), "must not be longer than \(limit) \(countsCharacters ? "characters" : "bytes")")
    }
    guard !isShown || !text.unicodeScalars.contains(where: \.isControl) else {
        throw .invalidField(pointer(), "must not contain control characters")
    }
}

/// An enumeration on the wire. The client sends a value as its name, or as its number, which is its index among the
/// cases.
protocol WireEnum: RawRepresentable<String>, CaseIterable, Decodable {}

extension WireEnum {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let value: Self? =
            // A value that is not a number must be a name.
            if let index = try? container.decode(Int.self) {
                index < 0 ? nil : Self.allCases.dropFirst(index).first
            } else {
                Self(rawValue: try container.decode(String.self))
            }
        guard let value else {
            throw RequestRefusal.notOneOf(Self.allCases.map(\.rawValue), at: container.codingPath.pointer)
        }
        self = value
    }
}

/// A member of which only the presence matters.
struct PresenceOnly: Decodable {
    init(from decoder: any Decoder) throws {}
}

extension String? {
    /// The text, or `nil` if it is empty: for members whose empty value means the same as their absence.
    var nonEmpty: String? { flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the text.
    ///
    /// - Throws: `code` for an absent or empty text.
    func required(_ code: ErrorCode) throws(RequestRefusal) -> String {
        guard let self, !self.isEmpty else { throw .rejected(code) }
        return self
    }
}

extension ID where Subject == Account {
    /// - Throws: `MISSING_LOCAL_ID` for an absent or empty text.
    init(required text: String?) throws(RequestRefusal) {
        let text = try text.required(.missingLocalID)
        self.init(text)
    }

    /// Parses an ID that an administrator chose for a new account.
    ///
    /// - Returns: `nil` for an absent or empty text.
    static func parsing(chosenID text: String?) throws(RequestRefusal) -> ID? {
        guard let text = text.nonEmpty else { return nil }
        guard let id = ID(chosen: text) else {
            throw .invalidField("/localId", "must be 1 to 128 UTF-16 code units without NUL")
        }
        return id
    }
}

extension Instant {
    /// Parses a number of seconds since 1970: a 64-bit integer, which is text on the wire. Valid times are from 1970 to
    /// 9999.
    ///
    /// - Returns: `nil` for an absent or empty text.
    static func parsing(seconds text: String?, at pointer: String) throws(RequestRefusal) -> Instant? {
        try parsing(text, unit: 1_000_000, at: pointer)
    }

    static func parsing(milliseconds text: String?, at pointer: String) throws(RequestRefusal) -> Instant? {
        try parsing(text, unit: 1000, at: pointer)
    }

    private static func parsing(_ text: String?, unit: Int64, at pointer: String) throws(RequestRefusal) -> Instant? {
        guard let text = text.nonEmpty else { return nil }
        guard let number = Int64(text), (0...latest.microseconds / unit).contains(number) else {
            throw .invalidField(pointer, "must be an integer for a time from 1970 to 9999")
        }
        return Instant(microseconds: number * unit)
    }
}
