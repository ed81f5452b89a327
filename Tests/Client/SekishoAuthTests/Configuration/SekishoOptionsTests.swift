import Foundation
import Testing

@testable import SekishoAuth

@Suite("The configuration")
struct SekishoOptionsTests {
    @Test(
        "The URL of the gateway must begin with https and have a host",
        arguments: [
            ("https://auth.example.com", true), ("https://auth.example.com/base", true),
            ("HTTPS://auth.example.com", true), ("http://auth.example.com", false), ("http://127.0.0.1:9099", false),
            ("auth.example.com", false), ("https://", false), ("file:///", false),
        ])
    func url(text: String, isValid: Bool) throws {
        let options = SekishoOptions(url: try #require(URL(string: text)), apiKey: "key")
        #expect((options.problem == nil) == isValid)
    }

    @Test("A configuration with a URL without TLS ends the process")
    func withoutTLS() async {
        await #expect(processExitsWith: .failure) {
            guard let url = URL(string: "http://auth.example.com") else { return }
            SekishoApp.configure(options: SekishoOptions(url: url, apiKey: "key"))
        }
    }

    @Test(
        "The host of a development server is a name or an address, without a scheme or a port",
        arguments: [
            ("127.0.0.1", 9099, "http://127.0.0.1:9099"), ("localhost", 80, "http://localhost:80"),
            ("::1", 9099, "http://[::1]:9099"), ("[::1]", 9099, "http://[::1]:9099"),
            ("http://127.0.0.1", 9099, nil), ("127.0.0.1:9099", 9099, nil), ("", 9099, nil), ("a/b", 9099, nil),
            ("a?b", 9099, nil), ("user@host", 9099, nil), ("localhost", 0, nil), ("localhost", 65536, nil),
        ])
    func emulator(host: String, port: Int, url: String?) {
        #expect(Auth.emulatorURL(host: host, port: port)?.absoluteString == url)
    }
}
