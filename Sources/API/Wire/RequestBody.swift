internal import HTTP
internal import Identity
internal import JSON

/// The body of a client operation. Every one may name a tenant or a project, and every one has to answer for it.
protocol ClientRequest: Decodable {
    var tenantId: String? { get }
    var targetProjectId: String? { get }
}

extension EndpointCall {
    /// - Throws: ``RequestRefusal``.
    func body<Content: ClientRequest>(as type: Content.Type = Content.self) throws -> Content {
        let content = try decoded(as: type)
        try content.checkScope(in: tenant)
        return content
    }

    /// A form is a form by its content type, unless it opens like an object: many a tool calls everything a form.
    var isForm: Bool {
        let contentType = request.headers["Content-Type"]?.lowercased() ?? ""
        return contentType.hasPrefix("application/x-www-form-urlencoded") && request.body.first != UInt8(ascii: "{")
    }

    /// `nil` if there is none, or it is malformed.
    var form: [(String, String)]? { isForm ? FormDecoder.decode(request.body) : nil }

    /// Parses a JSON body, at each call anew: for the tenant it names, for its project, for its content. An empty body is an object without members; unknown members are ignored, `null`
    /// is absence, names are taken in snake_case too, and the content type is not looked at.
    ///
    /// - Throws: what the caller is answered with.
    public func decoded<Content: Decodable>(as type: Content.Type) throws -> Content {
        do {
            return try StrictJSON.decode(
                type, from: request.body.isEmpty ? Array("{}".utf8) : request.body, snakeCaseKeys: true)
        } catch let fault as JSONFault {
            throw RequestRefusal(fault)
        } catch let error as DecodingError {
            throw RequestRefusal(error)
        }
    }
}

extension ClientRequest {
    /// - Parameter tenant: that was found by what the request names.
    func checkScope(in tenant: ID<Tenant>?) throws {
        guard targetProjectId == nil else { throw AccessRefusal.administratorsOnly }
        guard tenantId.nonEmpty == nil || tenantId == tenant?.rawValue else { throw TenantRefusal.unknown }
    }
}
