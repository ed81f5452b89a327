import Gateway
import HTTP
import Testing

@Suite("Tokens of forms")
struct FormTokensTests {
    private let tokens = FormTokens.live(keys: [Array(repeating: 7, count: 32)])
    private let form = FormTokens.Form(browser: [1, 2], action: "form", subject: "/page")

    private func accepts(_ headers: Headers, token: String? = nil) -> Bool {
        let request = Request(id: "0", method: .post, path: "/page", headers: headers, peer: "127.0.0.1")
        return tokens.accepts(
            request, token: token ?? tokens.token(for: form), for: form, origin: "http://localhost:9099")
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

    @Test(
        "The token belongs to one form about one subject, in one browser",
        arguments: [
            FormTokens.Form(browser: [1, 2], action: "other", subject: "/page"),
            FormTokens.Form(browser: [1, 2], action: "form", subject: "/other"),
            FormTokens.Form(browser: [1, 3], action: "form", subject: "/page"),
            FormTokens.Form(browser: [], action: "form", subject: "/page"),
            FormTokens.Form(browser: [1, 2], action: "form/", subject: "page"),
            FormTokens.Form(browser: [1], action: "\u{2}form", subject: "/page"),
        ])
    func token(other: FormTokens.Form) {
        let headers: Headers = ["Origin": "http://localhost:9099"]
        #expect(accepts(headers))
        #expect(!accepts(headers, token: tokens.token(for: other)))
    }

    @Test("A token of a former key is accepted, and one of an unknown key is not")
    func keys() {
        let headers: Headers = ["Origin": "http://localhost:9099"]
        let (new, old) = ([UInt8](repeating: 8, count: 32), [UInt8](repeating: 7, count: 32))
        let token = FormTokens.live(keys: [new]).token(for: form)
        #expect(!accepts(headers, token: token) && !accepts(headers, token: ""))
        let rotated = FormTokens.live(keys: [new, old])
        #expect(rotated.isValid(tokens.token(for: form), for: form))
        #expect(rotated.token(for: form).utf8.elementsEqual(token.utf8))
    }
}
