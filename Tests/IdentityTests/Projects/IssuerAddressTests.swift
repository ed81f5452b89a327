import Testing

@testable import Identity

@Suite("Addresses of issuers")
struct IssuerAddressTests {
    @Test(
        "Equal issuers have equal addresses",
        arguments: [
            ("https://id.example.com", "id.example.com", []),
            ("HTTPS://ID.Example.COM", "id.example.com", []),
            ("https://id.example.com.", "id.example.com", []),
            ("https://id.example.com..", "id.example.com", []),
            ("https://id.example.com:443", "id.example.com", []),
            ("https://id.example.com.:8443/a", "id.example.com", ["a"]),
            ("https://id.example.com:", "id.example.com", []),
            ("https://user:secret@id.example.com", "id.example.com", []),
            ("https://a@b@id.example.com", "id.example.com", []),
            ("https://other.example#@id.example.com", "other.example", []),
            ("https://other.example\\@id.example.com", "other.example", ["@id.example.com"]),
            ("https://id.example.com/A/", "id.example.com", ["a", ""]),
            ("https://id.example.com?a/b", "id.example.com", []),
            ("https://xn--bcher-kva.example", "xn--bcher-kva.example", []),
            ("https://id.example.\u{212A}", "id.example.k", []),
            ("https://[2001:DB8::1]:443/a", "[2001:db8::1]", ["a"]),
        ] as [(String, String, [String])])
    func address(url: String, host: String, path: [String]) throws {
        let address = try #require(IssuerAddress(url))
        #expect(address.host == host)
        #expect(address.path == path)
        #expect(!address.hasDotSegments)
    }

    @Test(
        "Dot segments are resolved",
        arguments: [
            ("/a/./b", ["a", "b"]), ("/a/../b", ["b"]), ("/../b", ["b"]), ("/a/%2E%2e/b", ["b"]),
            ("/a/.%2E", []), ("/.", []), ("\\..\\b", ["b"]),
        ] as [(String, [String])])
    func dotSegments(suffix: String, path: [String]) throws {
        let address = try #require(IssuerAddress("https://id.example.com" + suffix))
        #expect(address.host == "id.example.com")
        #expect(address.path == path)
        #expect(address.hasDotSegments)
    }

    @Test(
        "Text without a host has no address",
        arguments: [
            "", "id.example.com", "ftp://id.example.com", "https://", "https://.", "https:///a", "https://a..b",
            "https://.a", "https://b\u{FC}cher.example", "https://id.example.com:x", "https://id%2Eexample.com",
            "https://id.example\u{3002}com", "https://a b",
        ])
    func none(url: String) { #expect(IssuerAddress(url) == nil) }
}
