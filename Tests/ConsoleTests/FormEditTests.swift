import Crypto
import Encoding
import HTML
import HTTP
import JSON
import Testing

@testable import Console

/// A form that edits an address, a box that vouches for it, a name and lines. Its request has the changed fields.
@Suite("Forms that edit stored values")
struct FormEditTests {
    private static let forms = FormTokens(macs: { [Digest.sha256($0)] }, areEqual: { $0 == $1 })

    typealias Values = [String: String]

    private static let original: Values = ["email": "a@example.com", "name": "Ada", "lines": "one\ntwo"]

    private static func form(_ stored: Values) -> Form {
        Form(
            "edit", button: "Save",
            [
                FormField("email", "Address", value: stored["email"] ?? ""),
                FormField("verified", "Verified", .checkbox, value: stored["verified"] ?? "", relatedFields: ["email"]),
                FormField("name", "Name", value: stored["name"] ?? ""),
                FormField("lines", "Lines", .lines(2), value: stored["lines"] ?? ""),
            ], editsStoredValues: true, notice: "It was saved."
        ) { input in
            guard input["name"] != "bad" else { throw Form.InvalidField("name", "Choose another name.") }
            let names: [ByteText] = ["email", "verified", "name", "lines"]
            let changed = names.filter(input.isChanged).map { ($0, JSONValue.string(input[$0])) }
            return APICall(.post, "/edit", body: JSONObject(uniqueKeysWithValues: changed))
        }
    }

    private static func screen(_ stored: Values) -> Screen { Screen("Edit", [.form(form(stored))]) }

    private func context(_ body: [(String, String)] = [], performing: Performed = Performed()) -> ScreenContext {
        let request = Request(
            id: "0", method: body.isEmpty ? .get : .post, path: "/page", query: [],
            headers: ["Content-Type": "application/x-www-form-urlencoded", "Origin": "http://localhost:9099"],
            body: Array(PercentEncoding.encode(form: body).utf8), peer: "127.0.0.1")
        return ScreenContext(
            request: request, path: "/page", realm: RealmName(project: "demo", tenant: nil), now: 0,
            origin: "http://localhost:9099", catalog: OperationCatalog([:]), forms: Self.forms,
            sealedTexts: SealedTexts(seal: { text, _ in text }, open: { text, _ in text }), browser: [1],
            bearer: "owner",
            perform: { call in
                await performing.add(call)
                return APIResult(status: 200, json: nil)
            }, explanation: { _ in nil })
    }

    private actor Performed {
        var calls: [APICall] = []
        func add(_ call: APICall) { calls.append(call) }
    }

    private struct Result {
        let outcome: FormSubmission.Outcome
        /// The body of the request; `nil` without a request.
        let sent: Values?

        /// The form that the page with a problem shows.
        var form: Form? { if case .page(let screen) = outcome { screen.forms.first } else { nil } }
        var problem: String? {
            if case .page(let screen) = outcome { screen.problem?.problem.message } else { nil }
        }
        var values: Values {
            Values(uniqueKeysWithValues: (form?.fields ?? []).filter { !$0.value.isEmpty }.map { ($0.name, $0.value) })
        }
    }

    /// Submits `values` from a page that showed `page`, while `stored` is stored.
    private func submit(_ values: Values, on page: Form, stored: Values) async throws -> Result {
        let shown = FormEdit(form: page, context: context()).shown
        return try await submit(values, shown: shown, stored: stored)
    }

    private func submit(_ values: Values, shown: String, stored: Values) async throws -> Result {
        let token = Self.forms.token(for: context().form("edit"))
        let fields = [("form", "edit"), (FormTokens.field.rawValue, token), (FormEdit.shownField, shown)]
        let performed = Performed()
        let outcome = try await FormSubmission.submit(
            Self.screen(stored), context(fields + values.map { ($0.key, $0.value) }, performing: performed))
        let sent = await performed.calls.first?.body.map { body in
            Values(uniqueKeysWithValues: body.map { ($0.key.rawValue, $0.value.text ?? "") })
        }
        return Result(outcome: outcome, sent: sent)
    }

    /// What the user changes on a page that shows ``original``, what another caller stores meanwhile, and the request.
    @Test(
        "Only what the user has changed is sent, whatever another caller changes meanwhile",
        arguments: [
            (["name": "Bob"], [:], ["name": "Bob"]),
            (["name": "Bob"], ["email": "new@example.com", "verified": "true"], ["name": "Bob"]),
            (["name": "Bob"], ["name": "Bob", "email": "new@example.com"], nil),
            (["lines": "one\r\ntwo"], [:], nil), (["lines": "one\r\ntwo"], ["lines": "three"], nil),
            (["lines": "one\r\n"], ["name": "Bob"], ["lines": "one\r\n"]),
            (["verified": "true"], ["name": "Bob"], ["verified": "true"]),
            (["email": ""], ["name": "Bob"], ["email": ""]), ([:], ["name": "Bob"], nil),
        ] as [(Values, Values, Values?)])
    func changes(changed: Values, meanwhile: Values, sent: Values?) async throws {
        let values = Self.original.merging(changed) { $1 }
        let stored = Self.original.merging(meanwhile) { $1 }
        let result = try await submit(values, on: Self.form(Self.original), stored: stored)
        #expect(result.sent == sent)
        #expect(result.form == nil)
    }

    /// What the user changes, what another caller stores meanwhile, the label in the message, and what the form shows.
    @Test(
        "A value that another caller has changed meanwhile is not overwritten: the form shows it",
        arguments: [
            (["name": "Bob"], ["name": "Eve"], "Name", ["name": "Eve"]),
            (["name": "Bob", "lines": "x"], ["name": "Eve"], "Name", ["name": "Eve", "lines": "x"]),
            (["name": ""], ["name": "Eve"], "Name", ["name": "Eve"]),
            // The administrator vouches for an address that is not the account's any more.
            (["verified": "true"], ["email": "new@example.com"], "Address", ["email": "new@example.com"]),
        ] as [(Values, Values, String, Values)])
    func conflicts(changed: Values, meanwhile: Values, label: String, shown: Values) async throws {
        let values = Self.original.merging(changed) { $1 }
        let stored = Self.original.merging(meanwhile) { $1 }
        let result = try await submit(values, on: Self.form(Self.original), stored: stored)
        #expect(result.sent == nil)
        #expect(result.problem?.hasPrefix("\(label): the stored value has changed meanwhile.") == true)
        #expect(result.values == Self.original.merging(shown) { $1 })
        // The form that the page now shows is accepted.
        let form = try #require(result.form)
        let again = try await submit(stored.merging(["name": "Carol"]) { $1 }, on: form, stored: stored)
        #expect(again.sent?["name"] == "Carol")
    }

    @Test("A form that removes what a page showed is sent only while that is stored", arguments: ["one", "two"])
    func replaced(stored: String) async throws {
        func form(_ image: String) -> Form {
            Form(
                "edit", button: "Remove", [FormField("image", "Logo", .hidden, value: image)], editsStoredValues: true,
                notice: "It was removed."
            ) { _ in APICall(.post, "/edit") }
        }
        let token = Self.forms.token(for: context().form("edit"))
        let shown = FormEdit(form: form("one"), context: context()).shown
        let fields = [
            ("form", "edit"), (FormTokens.field.rawValue, token), (FormEdit.shownField, shown), ("image", "one"),
        ]
        let performed = Performed()
        let outcome = try await FormSubmission.submit(
            Screen("Edit", [.form(form(stored))]), context(fields, performing: performed))
        #expect(await performed.calls.count == (stored == "one" ? 1 : 0))
        let problem = if case .page(let screen) = outcome { screen.problem } else { FormProblem?.none }
        #expect((problem == nil) == (stored == "one") && problem?.field == nil)
    }

    @Test("After a rejected value, the form still compares with what is stored")
    func rejected() async throws {
        let page = Self.form(Self.original)
        let rejected = try await submit(Self.original.merging(["name": "bad"]) { $1 }, on: page, stored: Self.original)
        #expect(rejected.problem == "Choose another name." && rejected.values["name"] == "bad")
        let form = try #require(rejected.form)
        let again = Self.original.merging(["name": "Bob"]) { $1 }
        #expect(try await submit(again, on: form, stored: Self.original).sent == ["name": "Bob"])
    }

    @Test("A form without the proof of what it showed changes nothing", arguments: ["", ".", "AAAA.AAAA.AAAA.AAAA"])
    func withoutProof(shown: String) async throws {
        let values = Self.original.merging(["name": "Bob"]) { $1 }
        let result = try await submit(values, shown: shown, stored: Self.original)
        #expect(result.sent == nil)
        #expect(result.problem?.contains("changed meanwhile") == true)
    }
}
