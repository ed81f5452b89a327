import HTTP
import Testing

@testable import Console

@Suite("Protection of forms")
struct FormProtectionTests {
    private let protection = FormProtection(key: Array(repeating: 7, count: 32))

    private func accepts(_ headers: Headers, token: String? = nil) -> Bool {
        let request = Request(id: "0", method: .post, path: "/page", headers: headers, peer: "127.0.0.1")
        return protection.accepts(
            request, token: token ?? protection.token(of: "form", at: "/page"), of: "form", at: "/page",
            origin: "http://localhost:9099")
    }

    @Test(
        "Only a navigation from a page of the gateway is accepted",
        arguments: [
            (["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"], true),
            (["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"], false),
            (["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"], false),
            (["Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"], false),
            (["Sec-Fetch-Site": "same-origin"], false), (["Sec-Fetch-Mode": "navigate"], false),
            (["Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:9099"], false),
            (["Origin": "http://localhost:9099"], true), (["Origin": "http://localhost:3000"], false),
            (["Origin": "null"], false), ([:], false),
        ] as [([String: String], Bool)])
    func origin(fields: [String: String], isAccepted: Bool) {
        #expect(accepts(Headers(fields.map { (name: $0.key, value: $0.value) })) == isAccepted)
    }

    @Test("The token belongs to one form on one page, and to one process")
    func token() {
        let headers: Headers = ["Origin": "http://localhost:9099"]
        #expect(accepts(headers))
        #expect(!accepts(headers, token: protection.token(of: "other", at: "/page")))
        #expect(!accepts(headers, token: protection.token(of: "form", at: "/other")))
        #expect(!accepts(headers, token: FormProtection(key: [1]).token(of: "form", at: "/page")))
        #expect(!accepts(headers, token: ""))
    }
}
