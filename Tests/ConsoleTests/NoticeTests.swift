import Crypto
import Encoding
import HTML
import HTTP
import JSON
import Testing

@testable import Console

@Suite("Notices of accepted forms")
struct NoticeTests {
    private static let forms = FormTokens(macs: { [Digest.sha256($0)] }, areEqual: { $0 == $1 })
    private static let form = Form("cancel", button: "Cancel", notice: "The item was cancelled.") { _ in
        APICall(.post, "/cancel")
    }

    private func context(
        _ method: HTTP.Method = .get, query: [(String, String)] = [], body: String = "", browser: UInt8 = 1
    )
        -> ScreenContext
    {
        let headers: Headers = [
            "Content-Type": "application/x-www-form-urlencoded", "Origin": "http://localhost:9099",
        ]
        let request = Request(
            id: "0", method: method, path: "/page", query: query.map { (ByteText($0.0), $0.1) }, headers: headers,
            body: Array(body.utf8), peer: "127.0.0.1")
        return ScreenContext(
            request: request, path: "/page", realm: RealmName(project: "demo", tenant: nil), now: 0,
            origin: "http://localhost:9099", catalog: OperationCatalog([:]), forms: Self.forms,
            sealedTexts: SealedTexts(seal: { text, _ in text }, open: { text, _ in text }), browser: [browser],
            bearer: "owner", perform: { _ in APIResult(status: 200, json: nil) }, explanation: { _ in nil })
    }

    /// The query of the page to which the accepted form leads.
    private func queryAfterForm() async throws -> [(String, String)] {
        let shown = context()
        let token = Self.forms.token(for: shown.form("cancel"))
        let body = PercentEncoding.encode(form: [("form", "cancel"), (FormTokens.field.rawValue, token)])
        let outcome = try await FormSubmission.submit(
            Screen("Items", [.form(Self.form)]), context(.post, body: body))
        guard case .redirect(let path) = outcome, let query = path.split(separator: "?").last else { return [] }
        return try #require(FormDecoder.decode(Array(query.utf8))).map { ($0.name.rawValue, $0.value) }
    }

    private func html(_ context: ScreenContext) -> String {
        let screen = Screen("Items", [.paragraph("No item waits.")])
        let content = ScreenRenderer(screen: screen, context: context).content
        return Markup.document(language: "en", head: [], body: Markup(.main, content))
    }

    @Test("The notice stays on the screen when the form is gone")
    func notice() async throws {
        #expect(html(context(query: try await queryAfterForm())).contains("The item was cancelled."))
    }

    @Test("A query that no form of the browser has led to shows no notice")
    func forgedNotice() async throws {
        let query = try await queryAfterForm()
        let proof = try #require(query.last)
        for forged in [
            [query[0]], [("done", "cancel")], [("done", "The item was deleted."), proof],
            [query[0], ("proof", "AAAA")],
        ] {
            #expect(!html(context(query: forged)).contains("role=\"status\""), "\(forged)")
        }
        #expect(!html(context(query: query, browser: 2)).contains("role=\"status\""))
    }
}
