internal import CReference
internal import HTTP
internal import Pages

extension Endpoint {
    /// The reference of the API as a page, which `Deploy/contract` generates from the contract (`openapi.yaml`).
    static let getReference = page("getReference", .get, "/docs") { _ in
        PageResponse(
            Page.response(referencePage, language: "en", styles: [SEKISHO_REFERENCE_STYLE]))
    }

    /// The contract, for generators of clients. RFC 9512 defines the media type.
    static let getOpenAPIYAML = unauthenticated("getOpenApiYaml", "/openapi.yaml") { _ in
        .document(openAPIYAML, type: "application/yaml")
    }

    static let getOpenAPIJSON = unauthenticated("getOpenApiJson", "/openapi.json") { _ in
        .document(openAPIJSON, type: "application/json")
    }
}

// Copied from the binary once, and shared by all responses.
private let referencePage = sekisho_reference_page().content
private let openAPIYAML = sekisho_openapi_yaml().content
let openAPIJSON = sekisho_openapi_json().content

extension Response {
    /// A document that changes only with the version of the gateway.
    fileprivate static func document(_ content: [UInt8], type: String) -> Response {
        Response(
            status: 200, headers: ["Content-Type": "\(type); charset=utf-8", "Cache-Control": "public, max-age=300"],
            body: content)
    }
}

extension sekisho_document {
    fileprivate var content: [UInt8] { Array(UnsafeBufferPointer(start: bytes, count: count)) }
}
