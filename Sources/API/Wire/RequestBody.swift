public import HTTP
internal import Identity
internal import JSON

/// The body of a client operation. Each may name a tenant or a project, which the gateway checks for all operations.
protocol ClientRequest: Decodable {
    var tenantId: String? { get }
    var targetProjectId: String? { get }
}

extension EndpointCall {
    /// Returns the decoded body, once its tenant and project are checked.
    func body<Content: ClientRequest>(as type: Content.Type = Content.self) throws -> Content {
        let content = try decoded(as: type)
        try content.checkTarget(in: tenant)
        return content
    }

    /// Returns the decoded body, once its project and tenant are checked.
    func body<Content: Decodable>(as type: Content.Type = Content.self, for administrator: Administrator) throws
        -> Content
    {
        var call = self
        call.parseBody()
        try call.decoded(as: TargetFields.self).check(for: administrator)
        return try call.decoded(as: type)
    }

    /// Whether the body has the content type of a form. A body that begins like a JSON object is not a form, because many tools
    /// declare everything as a form.
    var isForm: Bool {
        let contentType = request.headers["Content-Type"]?.lowercased() ?? ""
        return contentType.hasPrefix("application/x-www-form-urlencoded") && request.body.first != UInt8(ascii: "{")
    }

    /// `nil` if the body is not a form or is malformed.
    var form: [(String, String)]? { isForm ? FormDecoder.decode(request.body) : nil }

    /// A parsed body takes up to twenty times the memory of its bytes, and the budget of body bytes counts the bytes. So
    /// the call keeps only small parsed bodies while the handler waits.
    private static var keptBodyBytes: Int { 2048 }

    /// Parses a body of up to 2 KiB now, so that everything that is decoded later shares the result. Larger bodies are
    /// parsed by each decoding.
    mutating func parseBody() {
        guard parsedBody == nil, request.body.count <= Self.keptBodyBytes else { return }
        parsedBody = Result { () throws(JSONFault) in try parsed() }
    }

    private func parsed() throws(JSONFault) -> ParsedJSON {
        if let parsedBody { return try parsedBody.get() }
        return try ParsedJSON(request.body.isEmpty ? Array("{}".utf8) : request.body)
    }

    /// Decodes the JSON body, whatever its content type is. An empty body is an object without members. Unknown members
    /// are ignored, `null` is absence, and names may be in snake_case.
    ///
    /// - Parameter snakeCaseKeys: `false` for a map whose names are data, and must stay as they are.
    /// - Throws: ``RequestRefusal``, or what `Content` throws.
    public func decoded<Content: Decodable>(as type: Content.Type, snakeCaseKeys: Bool = true) throws -> Content {
        do {
            return try parsed().decode(type, snakeCaseKeys: snakeCaseKeys)
        } catch let fault as JSONFault {
            throw RequestRefusal(fault)
        } catch let error as DecodingError {
            throw RequestRefusal(error)
        }
    }
}

extension Response {
    public static func json(_ value: some Encodable, status: Int = 200) throws -> Response {
        .json(encoded: try StrictJSON.encode(value), status: status)
    }

    static func json(encoded bytes: [UInt8], status: Int = 200) -> Response {
        Response(status: status, headers: ["Content-Type": "application/json; charset=UTF-8"], body: bytes)
    }
}
