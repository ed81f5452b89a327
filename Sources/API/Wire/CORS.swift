internal import HTTP

/// Cross-origin rules (Fetch §3.2). Keys and tokens authenticate requests, cookies never do, so every origin is
/// allowed. The origin is reflected, as clients of this protocol expect.
enum CORS {
    static func preflight(_ request: Request) -> Response {
        var headers: Headers = [
            "Access-Control-Allow-Methods": "GET, POST, PATCH, PUT, DELETE, OPTIONS",
            "Access-Control-Max-Age": "3600",
            "Vary": "Access-Control-Request-Headers, Access-Control-Request-Private-Network",
        ]
        if let wanted = request.headers["Access-Control-Request-Headers"], isReflectable(wanted) {
            headers.add("Access-Control-Allow-Headers", wanted)
        }
        if request.headers["Access-Control-Request-Private-Network"] != nil {
            headers.add("Access-Control-Allow-Private-Network", "true")
        }
        return Response(status: 204, headers: headers)
    }

    /// Lets the requesting page read the response, errors included.
    static func open(_ headers: inout Headers, to request: Request) {
        headers.add("Vary", "Origin")
        guard let origin = request.headers["Origin"], isReflectable(origin) else { return }
        headers.add("Access-Control-Allow-Origin", origin)
        headers.add("Access-Control-Expose-Headers", "Retry-After, X-Request-Id")
    }

    private static func isReflectable(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
