import HTTP
import Testing

@testable import DevMode

@Suite("Hosts and origins that `dev` accepts")
struct AllowedHostsTests {
    private static func status(
        _ headers: Headers, _ method: HTTP.Method = .get, _ path: String = "/v1/projects", adding names: [String] = []
    ) -> Int? {
        let request = Request(id: "0", method: method, path: path, headers: headers, peer: "127.0.0.1")
        return AllowedHosts(adding: names)?.rejection(of: request)?.status
    }

    private static let localHosts = [
        "127.0.0.1:9099", "127.0.0.1", "[::1]:9099", "[::1]", "192.168.1.20:9099", "[fd00::1]:80", "localhost:9099",
        "localhost", "LocalHost:9099", "app.localhost:9099", "a.b.localhost", "devbox", "sekisho_1:9099",
        "HOST.docker.internal:9099",
    ]

    private static let foreignHosts = [
        "", ":9099", "evil.example", "evil.example:9099", "127.0.0.1.evil.example", "localhost.evil.example",
        "evillocalhost.example", "xlocalhost.", "localhost.", "localhost.:9099", "docker.internal",
        "x.host.docker.internal", "127.0.0.1.", "::1", "[::1", "[127.0.0.1]", "[evil]", "a b", "evil.example@localhost",
        "1.2.3", "127.1", "\u{212A}", "evil.example:x",
    ]

    @Test("A host of this machine is accepted", arguments: localHosts)
    func local(host: String) {
        #expect(Self.status(["Host": host]) == nil)
        #expect(Self.status(["Host": host], .options, "/nothing") == nil)
    }

    @Test("Any other host gets status 421, for every path and method", arguments: foreignHosts)
    func foreign(host: String) {
        for path in ["/", "/v1/accounts:signUp", "/dev/emails", "/nothing", "/healthz"] {
            for method in HTTP.Method.allCases { #expect(Self.status(["Host": host], method, path) == 421) }
        }
        #expect(Self.status(["Host": host, "Origin": "http://localhost"]) == 421)
    }

    @Test("An image of another site cannot have the address of a protected path")
    func withoutOrigin() {
        func status(_ site: String, _ mode: String, _ path: String = "/emulator/v1/projects/p/oobCodes") -> Int? {
            Self.status(["Host": "localhost", "Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode], .get, path)
        }
        #expect(status("cross-site", "no-cors") == 403)
        #expect(status("cross-site", "navigate") == nil)
        #expect(status("same-origin", "no-cors") == nil)
        #expect(status("cross-site", "no-cors", "/v1/projects") == nil)
    }

    @Test("A request without a host gets status 421")
    func withoutHost() {
        #expect(Self.status([:]) == 421)
    }

    @Test("A name of --allow-host is accepted as host and origin, with any port, but not its subdomains")
    func added() {
        func status(_ headers: Headers) -> Int? {
            Self.status(headers, .get, "/dev/emails", adding: ["dev.example.com", "Box.Local"])
        }
        for host in ["dev.example.com", "DEV.example.com:9099", "box.local"] {
            #expect(status(["Host": host]) == nil)
            #expect(status(["Host": "localhost", "Origin": "https://\(host)"]) == nil)
        }
        for host in ["x.dev.example.com", "example.com", "dev.example.com."] {
            #expect(status(["Host": host]) == 421)
            #expect(status(["Host": "localhost", "Origin": "https://\(host)"]) == 403)
        }
        for name in ["", "dev.example.com:9099", "http://dev.example.com", "*.example.com", "é.example"] {
            #expect(AllowedHosts(adding: ["ok", name]) == nil, "\(name)")
        }
    }

    private static let localOrigins = [
        "http://localhost:3000", "http://127.0.0.1:5500", "https://[::1]:3000", "http://app.localhost",
        "http://devbox:8080", "capacitor://localhost", "ionic://localhost",
    ]

    private static let foreignOrigins = [
        "null", "", "https://evil.example", "http://localhost.evil.example:3000", "chrome-extension://abcdefgh",
        "evil", "https://", "://localhost:x", "file://", "https://evil.example#://localhost", "HTTP://evil.example",
        "http://93.184.216.34", "http://[2606:2800:220:1::1]:8080",
    ]

    private static let sensitive: [(Headers, String)] = [
        (["Authorization": "Bearer owner"], "/v1/projects/demo/accounts:query"),
        (["authorization": "bearer ya29.x"], "/identitytoolkit.googleapis.com/v1/projects/demo/accounts"),
        (["Authorization": "Bearer sks_key"], "/v1/projects/demo/accounts:query"),
        ([:], "/emulator/v1/projects/demo/accounts"), ([:], "/dev/emails"), ([:], "/emulator/nothing"),
    ]

    @Test(
        "A page of another site gets status 403 below /emulator/ and with the header Authorization",
        arguments: foreignOrigins)
    func foreignOrigin(origin: String) {
        for (headers, path) in Self.sensitive {
            var headers = headers
            headers.add("Host", "127.0.0.1:9099")
            for method in HTTP.Method.allCases { #expect(Self.status(headers, method, path) == nil, "no origin") }
            headers.add("Origin", origin)
            for method in HTTP.Method.allCases { #expect(Self.status(headers, method, path) == 403, "\(path)") }
        }
        let apiKeyAlone: Headers = ["Host": "127.0.0.1:9099", "Origin": origin, "X-Goog-Api-Key": "any"]
        #expect(Self.status(apiKeyAlone, .post, "/v1/accounts:signUp") == nil)
    }

    @Test("A page of this machine may use everything", arguments: localOrigins)
    func localOrigin(origin: String) {
        for (headers, path) in Self.sensitive {
            var headers = headers
            headers.add("Host", "localhost:9099")
            headers.add("Origin", origin)
            #expect(Self.status(headers, .delete, path) == nil, "\(path)")
        }
    }
}
