internal import CReference
internal import HTTP

extension Endpoint {
    /// The reference of the API for people. `Deploy/contract` makes the page from the contract.
    static let getReference = page("getReference", .get, "/docs") { _ in
        PageResponse(
            Response(
                status: 200,
                headers: [
                    "Content-Type": "text/html; charset=utf-8", "Content-Language": "en",
                    "Content-Security-Policy":
                        "default-src 'none'; style-src '\(SEKISHO_REFERENCE_STYLE)'; frame-ancestors 'none'; base-uri 'none'",
                    "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
                    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
                    "Cache-Control": Response.documentLifetime,
                ],
                body: sekisho_reference_page().content))
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
    /// The documents change with the version of the gateway only.
    fileprivate static let documentLifetime = "public, max-age=300"

    fileprivate static func document(_ document: sekisho_document, type: String) -> Response {
        Response(
            status: 200, headers: ["Content-Type": "\(type); charset=utf-8", "Cache-Control": documentLifetime],
            body: document.content)
    }
}

extension sekisho_document {
    fileprivate var content: [UInt8] { Array(UnsafeBufferPointer(start: bytes, count: count)) }
}
