import Encoding
import HTTP
import Testing

@testable import API
@testable import Gateway
@testable import Support

@Suite("Images that the console uploads", .serialized)
struct ConsoleUploadTests {
    private static let path = "/console/demo/brand"
    /// One pixel.
    private static let png = Base64.decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==")

    /// One pixel, and a comment.
    private static let otherPNG = Base64.decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACXRFWHRDb21tZW50AGIqlo1yAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
    )

    private static func upload(
        _ content: [UInt8], to form: String = "upload-logo", of person: ConsoleVisitor,
        changing: (inout [(String, String)]) -> Void = { _ in }
    ) async throws -> Exchange {
        let page = try await person.open(path)
        let found = try #require(page.form(form), "\(page.text)")
        var fields = found.hidden
        changing(&fields)
        return try await person.submit(multipart: fields, file: ("content", content), to: found.action)
    }

    @Test("An uploaded image becomes the logo, which the screen shows, and is removed again")
    func logo() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "owner")
        let before = try await ada.open(Self.path)
        #expect(!before.text.contains("<img"))
        let saved = try await Self.upload(try #require(Self.png), of: ada)
        #expect(saved.location?.hasPrefix("\(Self.path)?") == true, "\(saved.text)")
        let page = try await ada.open(saved.location ?? "")
        #expect(page.text.contains("The image was saved."))
        #expect(page.headers["Content-Security-Policy"]?.contains("img-src 'self';") == true)
        let image = try #require(page.text.firstMatch(of: #/<img src="(\/__\/auth\/assets\/demo\/[0-9a-f]{64})"/#))
        let shown = try await fixture.gateway.send(
            .get, String(image.output.1), body: [], query: [], headers: ["Host": "auth.example.com"])
        #expect(shown.status == 200 && shown.headers["Content-Type"] == "image/png")
        let removed = try await ada.submit(page, "remove-logo")
        #expect(removed.status == 303, "\(removed.text)")
        #expect(try await !ada.open(Self.path).text.contains("<img"))
    }

    @Test(
        "An image that another person has replaced meanwhile is neither replaced nor removed from an older page",
        arguments: ["upload-logo", "remove-logo"])
    func conflict(form: String) async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "owner")
        let (png, other) = (try #require(Self.png), try #require(Self.otherPNG))
        _ = try await Self.upload(png, of: ada)
        let older = try await ada.open(Self.path)
        #expect(try await Self.upload(other, of: ada).status == 303)
        let stored = try await ada.open(Self.path).logo
        let found = try #require(older.form(form))
        let rejected =
            form == "remove-logo"
            ? try await ada.submit(older, form)
            : try await ada.submit(multipart: found.hidden, file: ("content", png), to: found.action)
        #expect(
            rejected.status == 400 && rejected.text.contains("Logo: the stored value has changed meanwhile."),
            "\(rejected.text)")
        #expect(rejected.logo == stored && stored != older.logo)
        #expect(try await ada.open(Self.path).logo == stored)
        // The page of the rejection shows the stored image, and its form is accepted.
        #expect(try await ada.submit(rejected, "remove-logo").status == 303)
    }

    @Test(
        "Another file is rejected with the rule, and changes nothing",
        arguments: [
            "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>", "<!DOCTYPE html>", "GIF89a",
            "\u{89}PNG", "",
        ])
    func otherFile(content: String) async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "owner")
        let rejected = try await Self.upload(Array(content.utf8), of: ada)
        #expect(rejected.status == 400 && !rejected.text.contains("base64") && !rejected.text.contains("INVALID"))
        #expect(
            rejected.text.contains(
                content.isEmpty ? "this field is required" : "but must be a PNG, JPEG or WebP image"))
        #expect(!rejected.text.contains("alert(1)"))
        #expect(try await !ada.open(Self.path).text.contains("<img"))
    }

    @Test("The form needs its token, and a file makes no other form acceptable")
    func token() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "owner")
        let png = try #require(Self.png)
        let forged = try await Self.upload(png, of: ada) { fields in
            fields = fields.map { $0.0 == "formToken" ? ($0.0, String($0.1.reversed())) : $0 }
        }
        #expect(forged.status == 403)
        let accounts = try await ada.open("/console/demo/newAccount")
        let (action, fields) = try #require(accounts.form("create-account"), "\(accounts.text)")
        let other = try await ada.submit(multipart: fields, file: ("content", png), to: action)
        #expect(other.status == 400 && other.text.contains("The form cannot be read."))
    }

    @Test("Roles without the scope of the brand are offered no upload", arguments: ["viewer", "administrator"])
    func roles(role: String) async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: role)
        let page = try await ada.open(Self.path)
        #expect(page.status == 200 && page.form("upload-logo") == nil)
        #expect(page.text.contains("The page lacks the forms that need another role."))
        let unoffered = try await ada.submitUnoffered(Self.path, "upload-logo", ["content": "AAAA"])
        #expect(unoffered.status == 400, "\(unoffered.text)")
    }

    @Test("A file that is much too large leads to a page with the rule, and back to the form")
    func tooLarge() async throws {
        let fixture = try await ConsoleFixture()
        let request = Request(
            id: "0", method: .post, path: Self.path, query: [],
            headers: ["Host": "auth.example.com", "Accept": "text/html"], body: [], peer: "192.0.2.1")
        let response = Exchange(fixture.gateway.pipeline.rejected(.tooLarge, request))
        #expect(response.status == 413 && response.text.contains("An image has at most 64 KiB"), "\(response.text)")
        #expect(response.text.contains("<a href=\"\(Self.path)\">Back to the form</a>"))
    }
}

extension Exchange {
    /// The path of the logo that the screen shows.
    fileprivate var logo: String? { text.firstMatch(of: #/<img src="([^"]+)"/#).map { String($0.output.1) } }
}

extension ConsoleVisitor {
    /// Submits a form with a file, as a browser does.
    func submit(
        multipart fields: [(String, String)], file: (name: String, content: [UInt8]), to action: String
    ) async throws -> Exchange {
        var body: [UInt8] = []
        for (name, value) in fields {
            body += Array("--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
        }
        let head =
            "--b\r\nContent-Disposition: form-data; name=\"\(file.name)\"; filename=\"a\"\r\nContent-Type: image/png"
        body += Array("\(head)\r\n\r\n".utf8) + file.content + Array("\r\n--b--\r\n".utf8)
        return try await browser.send(
            .post, action, body: body,
            headers: [
                ("Host", "auth.example.com"), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate"),
                ("Content-Type", "multipart/form-data; boundary=b"),
            ])
    }
}
