import Testing

@testable import SMTP

@Suite("Submission servers")
struct SubmissionServerTests {
    @Test(
        "A connection uses TLS, except with smtp:// on this machine",
        arguments: [
            ("smtp://mail.example.com", SubmissionServer.Encryption.startTLS, 587),
            ("smtp://mail.example.com:25/", .startTLS, 25), ("smtps://mail.example.com", .implicitTLS, 465),
            ("smtps://127.0.0.1:2465", .implicitTLS, 2465), ("smtp://127.0.0.1:2525", .none, 2525),
            ("smtp://localhost:25", .none, 25), ("smtp://[::1]:25", .none, 25),
            ("smtp://[2001:db8::1]", .startTLS, 587),
            ("smtp://127.example.com", .startTLS, 587), ("smtp://128.0.0.1", .startTLS, 587),
        ])
    func encryption(url: String, encryption: SubmissionServer.Encryption, port: UInt16) throws {
        let server = try #require(SubmissionServer(url: url))
        #expect(server.encryption == encryption)
        #expect(server.port == port)
    }

    @Test("smtp:// uses TLS even on this machine if certificate authorities are configured")
    func authorities() {
        let server = SubmissionServer(url: "smtp://127.0.0.1:2525", certificateAuthorities: "/ca.pem")
        #expect(server?.encryption == .startTLS)
    }

    @Test("A percent-encoded login is decoded, and no description contains the password")
    func login() throws {
        let server = try #require(SubmissionServer(url: "smtps://ada%40example.com:p%2Fw%3A1@mail.example.com"))
        #expect(server.login == .init(user: "ada@example.com", password: "p/w:1"))
        #expect("\(server)" == "mail.example.com:465")
        #expect(!String(reflecting: server).contains("p/w:1"))
        var dumped = ""
        dump(server, to: &dumped)
        #expect(!dumped.contains("p/w:1"))
    }

    @Test(
        "A URL is rejected unless it consists of a supported scheme, a host, and optionally a valid port and a login",
        arguments: [
            "", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://mail.example.com/path",
            "smtp://mail.example.com?a=b", "smtp://mail.example.com#a", "smtp://user@mail.example.com",
            "smtp://mail.example.com:0", "smtp://mail.example.com:70000", "smtp://mail example.com",
            "smtp://user;AUTH=PLAIN:password@mail.example.com",
        ])
    func malformed(url: String) {
        #expect(SubmissionServer(url: url) == nil)
    }
}
