internal import CReference
internal import HTTP
internal import Pages

extension Endpoint {
    /// The reference of the API for people. `Deploy/contract` makes the page from the contract.
    static let getReference = page("getReference", .get, "/docs") { _ in
        PageResponse(
            Page.response(sekisho_reference_page().content, language: "en", style: SEKISHO_REFERENCE_STYLE))
    }

    /// The contract, for generators of clients (RFC 9512).
    static let getOpenAPIYAML = open("getOpenApiYaml", "/openapi.yaml") { _ in
        .document(sekisho_openapi_yaml(), type: "application/yaml")
    }

    static let getOpenAPIJSON = open("getOpenApiJson", "/openapi.json") { _ in
        .document(sekisho_openapi_json(), type: "application/json")
    }
}

extension Response {
    /// Changes with the version of the gateway only.
    fileprivate static func document(_ document: sekisho_document, type: String) -> Response {
        Response(
            status: 200, headers: ["Content-Type": "\(type); charset=utf-8", "Cache-Control": "public, max-age=300"],
            body: document.content)
    }
}

extension sekisho_document {
    fileprivate var content: [UInt8] { Array(UnsafeBufferPointer(start: bytes, count: count)) }
}
