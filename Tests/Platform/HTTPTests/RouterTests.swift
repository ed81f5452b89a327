import HTTP
import Testing

@Suite("Routers")
struct RouterTests {
    private let router = Router<String>([
        (.post, "/v1/accounts:signUp", "signUp"),
        (.post, "/v1/accounts:signInWithPassword", "signIn"),
        (.post, "/v1/projects/{project}/accounts:lookup", "lookup"),
        (.post, "/v1/projects/{project}/accounts", "create"),
        (.get, "/v1/projects/{project}/accounts", "list"),
        (.post, "/v1/projects/{project}:queryAccounts", "query"),
        (.get, "/v1/projects/{project}", "project"),
        (.get, "/v1/projects/default", "default project"),
        (.get, "/v1/projects/{project}/accounts/{account}", "account"),
        (.get, "/v1/{kind}/default/health", "health"),
        (.get, "/{project}/.well-known/jwks.json", "keys"),
        (.get, "/", "root"),
    ])

    struct Row: CustomTestStringConvertible {
        let method: HTTP.Method
        let path: String
        /// The route with its parameters, `only` with the allowed methods, or `not found`.
        let expected: String
        var testDescription: String { "\(method.rawValue) \(path)" }

        init(_ method: HTTP.Method, _ path: String, _ expected: String) {
            self.method = method
            self.path = path
            self.expected = expected
        }
    }

    @Test(
        "A path is matched to its route",
        arguments: [
            Row(.post, "/v1/accounts:signUp", "signUp"),
            Row(.post, "/v1/accounts:signInWithPassword", "signIn"),
            Row(.post, "/v1/projects/abc/accounts:lookup", "lookup project=abc"),
            Row(.post, "/v1/projects/abc/accounts", "create project=abc"),
            Row(.get, "/v1/projects/abc/accounts", "list project=abc"),
            Row(.post, "/v1/projects/abc:queryAccounts", "query project=abc"),
            Row(.get, "/v1/projects/abc", "project project=abc"),
            Row(.get, "/v1/projects/a%20b%C3%A9", "project project=a bé"),
            Row(.get, "/v1/projects/a%3Ab", "project project=a:b"),
            Row(.get, "/v1/projects/a%2525", "project project=a%25"),
            Row(.get, "/v1/projects/default", "default project"),
            Row(.get, "/v1/projects/default/accounts", "list project=default"),
            Row(.get, "/v1/projects/default/health", "health kind=projects"),
            Row(.get, "/v1/projects/abc/accounts/7", "account account=7 project=abc"),
            Row(.get, "/demo/.well-known/jwks.json", "keys project=demo"),
            Row(.get, "/", "root"),
            Row(.get, "/v1/projects/\(String(repeating: "p", count: 128))", "project project=pppp…"),
        ])
    func found(row: Row) { #expect(matched(row) == row.expected) }

    @Test(
        "The allowed methods of a path are listed if the method is not allowed",
        arguments: [
            Row(.get, "/v1/accounts:signUp", "only POST"),
            Row(.delete, "/v1/projects/abc/accounts", "only GET POST"),
            Row(.get, "/v1/projects/abc:queryAccounts", "only POST"),
            Row(.head, "/", "only GET"),
        ])
    func otherMethod(row: Row) { #expect(matched(row) == row.expected) }

    @Test(
        "A path that matches no route, or has an invalid or unsafe part, is not found",
        arguments: [
            "", "v1/accounts:signUp", "//", "/v1", "/v1/accounts", "/v1/accounts:", "/v1/accounts:signup",
            "/v1/accounts:signUp/", "/v1/accounts%3AsignUp", "/V1/accounts:signUp", "/v1/projects/abc:lookup",
            "/v1/projects/abc:queryAccounts:queryAccounts", "/v1/projects/:queryAccounts", "/v1/projects/a:b/accounts",
            "/v1/projects//accounts", "/v1/projects/./accounts", "/v1/projects/../accounts",
            "/v1/projects/%2e%2E/accounts", "/v1/projects/a%2Fb", "/v1/projects/a%5Cb", "/v1/projects/a\\b",
            "/v1/projects/a%00b", "/v1/projects/a%0Ab", "/v1/projects/a%7Fb", "/v1/projects/a%C2%85b",
            "/v1/projects/a%ff", "/v1/projects/a%C0%AF", "/v1/projects/a%", "/v1/projects/a%4", "/v1/projects/a%4g",
            "/v1/projects/\(String(repeating: "p", count: 129))", "/v1/projects/abc/accounts/7/more",
        ])
    func notFound(path: String) { #expect(matched(Row(.post, path, "")) == "not found") }

    @Test(
        "The value of an opaque parameter can be any text of 1 to 128 UTF-16 code units without NUL",
        arguments: [
            ("a%2Fb", "a/b"), ("a%5Cb", "a\\b"), ("a%0Ab", "a\nb"), ("%2E%2E", ".."), ("..", ".."), ("%3A", ":"),
            ("%252F", "%2F"), (String(repeating: "%F0%9F%A5%9D", count: 64), String(repeating: "🥝", count: 64)),
            (String(repeating: "%F0%9F%A5%9D", count: 65), nil), ("a%00b", nil), ("", nil), ("a%ff", nil),
        ] as [(String, String?)])
    func opaqueParameter(text: String, value: String?) {
        let router = Router<String>([(.get, "/{project}/accounts/{account}", "")], opaqueParameters: ["account"])
        switch router.match(.get, "/demo/accounts/\(text)") {
        case .found(_, let parameters): #expect(parameters == ["project": "demo", "account": value])
        default: #expect(value == nil)
        }
        // The other parameters of the same template stay limited.
        if case .found = router.match(.get, "/a%2Fb/accounts/\(text)") { Issue.record("found") }
        if case .methodNotAllowed = router.match(.post, "/a%2Fb/accounts/\(text)") { Issue.record("found") }
    }

    @Test(
        "A template that is malformed or registered twice ends the program",
        arguments: [
            "v1", "/a//b", "/a/", "/{", "/{}", "/{a}b", "/a{b}", "/{a}/{a}", "/a:b/c", "/{a}:", "/a?b", "/twice",
        ])
    func malformed(template: String) async {
        await #expect(processExitsWith: .failure) { [template] in
            _ = Router<Int>([(.get, template, 1), (.get, "/twice", 2)])
        }
    }

    private func matched(_ row: Row) -> String {
        switch router.match(row.method, row.path) {
        case .notFound: "not found"
        case .methodNotAllowed(let methods): "only " + methods.map(\.rawValue).joined(separator: " ")
        case .found(let route, let parameters):
            ([route] + parameters.sorted { $0.key < $1.key }.map { "\($0)=\(shortened($1))" }).joined(separator: " ")
        }
    }

    private func shortened(_ text: String) -> String { text.count > 100 ? text.prefix(4) + "…" : text }
}
