import Encoding
import HTTP
import Identity
import Postgres
import Testing

@testable import Storage
@testable import Support

@Suite("Images of brands", .serialized)
struct BrandImageTests {
    /// A PNG of one pixel. `comment` makes it a different image.
    static func png(_ comment: String = "") -> [UInt8] {
        func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
            [0, 0, 0, UInt8(data.count)] + Array(type.utf8) + data + [0, 0, 0, 0]
        }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", [0, 0, 0, 40, 0, 0, 0, 20, 8, 6, 0, 0, 0])
            + chunk("tEXt", Array("Comment\0\(comment)".utf8)) + chunk("IDAT", [1]) + chunk("IEND", [])
    }

    /// A PNG of one pixel in a file of `size` bytes.
    static func png(size: Int) -> [UInt8] {
        let image = png()
        let end = image.count - 12
        let length = size - image.count - 12
        let chunk = (0..<4).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + Array("tEXt".utf8)
        return image[..<end] + chunk + Array(repeating: 0x20, count: length + 4) + image[end...]
    }

    static func upload(_ bytes: [UInt8], _ configurator: Configurator) async throws -> Exchange {
        try await configurator.send(.post, "brandImages", ["content": .string(Base64.encode(bytes))])
    }

    static func id(_ comment: String = "", _ configurator: Configurator) async throws -> String {
        try #require(try await upload(png(comment), configurator).json["imageId"]?.string)
    }

    @Test("A stored image is served while a brand names it, and pages show it")
    func shown() async throws {
        let configurator = try await Configurator()
        let gateway = configurator.gateway
        let stored = try await Self.upload(Self.png(), configurator)
        let id = try #require(stored.json["imageId"]?.string)
        #expect(
            stored.json == [
                "imageId": .string(id), "mediaType": "image/png", "width": 40, "height": 20,
                "byteCount": .number(Double(Self.png().count)),
            ])
        let path = "/__/auth/assets/demo/\(id)"
        #expect(try await gateway.getWithoutAPIKey(path).status == 404, "no brand names the image")
        let brand: JSON = ["name": "Acme", "logo": .string(id), "favicon": .string(id)]
        #expect(try await configurator.send(.patch, "config", ["brand": brand], mask: "brand").json["brand"] == brand)
        let image = try await gateway.getWithoutAPIKey(path)
        #expect(image.status == 200 && image.body == Self.png())
        let expected = [
            "Content-Type": "image/png", "Content-Security-Policy": "default-src 'none'; sandbox",
            "Cache-Control": "public, max-age=31536000, immutable", "Cross-Origin-Resource-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
        ]
        for (name, value) in expected { #expect(image.headers[name] == value) }
        #expect(image.headers["Access-Control-Allow-Origin"] == nil)
        for (page, root) in [("/__/auth/forgotPassword", "../../"), ("/demo/__/auth/forgotPassword", "../../../")] {
            let page = try await gateway.getWithoutAPIKey(page)
            let logo = #"<img src="\#(root)__/auth/assets/demo/\#(id)" alt="Acme" width="40" height="20">"#
            #expect(page.text.contains(logo))
            #expect(page.text.contains(#"<link rel="icon" href="\#(root)__/auth/assets/demo/\#(id)">"#))
            #expect(page.headers["Content-Security-Policy"]?.contains("img-src 'self';") == true)
        }
        _ = try await configurator.send(.patch, "config", ["brand": ["logo": "", "favicon": ""]], mask: "brand")
        #expect(try await gateway.getWithoutAPIKey(path).status == 404)
        let page = try await gateway.getWithoutAPIKey("/__/auth/forgotPassword")
        #expect(page.headers["Content-Security-Policy"]?.contains("img-src") == false)
    }

    @Test(
        "Only images are stored (an attacker's logo is a page, a drawing with scripts, or too large)",
        arguments: [
            (Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), "is not a PNG, JPEG or WebP file"),
            (Array("<script>alert(1)</script>".utf8), "is not a PNG, JPEG or WebP file"),
            (Self.png() + Array("<script>alert(1)</script>".utf8), damaged), ([], "is empty"),
        ])
    func rejected(bytes: [UInt8], fault: String) async throws {
        let configurator = try await Configurator()
        let outcome = try await Self.upload(bytes, configurator).outcome
        #expect(
            outcome
                == "400 Invalid JSON payload received. /content \(fault), but must be a PNG, JPEG or WebP image of at most 64 KiB and 1024 × 512 pixels, without animation"
        )
    }

    private static let damaged =
        "is incomplete, has other data after the image, or has a kind of pixels that not all browsers show"

    @Test("An image of 64 KiB is stored, and one of a byte more is not")
    func size() async throws {
        let configurator = try await Configurator()
        let larger = try await Self.upload(Self.png(size: 65_537), configurator)
        #expect(larger.outcome.hasPrefix("400 Invalid JSON payload received. /content has 65537 bytes, but must be "))
        #expect(try await configurator.gateway.database.pool.query("SELECT FROM brand_image").isEmpty)
        let largest = try await Self.upload(Self.png(size: 65_536), configurator)
        #expect(largest.json["byteCount"] == 65_536, "\(largest.text)")
    }

    @Test("The scope `config` alone stores no image: a brand could not name it")
    func scope() async throws {
        let gateway = try await TestGateway()
        let configurator = Configurator(
            gateway: gateway, serviceKey: try await ServiceKey(in: gateway, scopes: ServiceKeyScopes([.config])))
        let outcome = try await Self.upload(Self.png(), configurator).outcome
        #expect(outcome == "403 PERMISSION_DENIED : The service key lacks the scope trust.")
        #expect(try await gateway.database.pool.query("SELECT FROM brand_image").isEmpty)
    }

    @Test("A brand can name only images of its own project")
    func otherImages() async throws {
        let configurator = try await Configurator()
        let unknown = String(repeating: "0", count: 64)
        for id in [unknown, "https://evil.example/logo.png", "../" + unknown] {
            let outcome = try await configurator.send(
                .patch, "config", ["brand": ["logo": .string(id)]], mask: "brand.logo"
            ).outcome
            #expect(
                outcome
                    == "400 Invalid JSON payload received. /brand/logo must be the ID of an image of the project")
        }
        let id = try await Self.id("", configurator)
        _ = try await configurator.send(.patch, "apps/default", ["brand": ["logo": .string(id)]], mask: "brand")
        #expect(try await configurator.gateway.getWithoutAPIKey("/__/auth/assets/demo/\(id)").status == 200)
        for path in ["other/\(id)", "demo/\(unknown)", "demo/\(id.uppercased())", "demo/logo.png"] {
            #expect(try await configurator.gateway.getWithoutAPIKey("/__/auth/assets/\(path)").status == 404, "\(path)")
        }
    }

    @Test("Unused images are deleted after a day, or when there are more than 20")
    func unused() async throws {
        let configurator = try await Configurator()
        let gateway = configurator.gateway
        func count() async throws -> Int {
            try await gateway.database.pool.query("SELECT count(*) AS count FROM brand_image").first?.decode("count")
                ?? 0
        }
        let used = try await Self.id("used", configurator)
        _ = try await configurator.send(.patch, "apps/default", ["brand": ["darkLogo": .string(used)]], mask: "brand")
        for number in 1...22 {
            _ = try await Self.id("\(number)", configurator)
            gateway.clock.advance(by: .seconds(1))
        }
        #expect(try await count() == 21)
        gateway.clock.advance(by: .seconds(86_401))
        _ = try await Self.id("new", configurator)
        #expect(try await count() == 2)
        _ = try await configurator.send(.patch, "apps/default", ["brand": ["darkLogo": ""]], mask: "brand")
        #expect(try await count() == 1)
        #expect(
            try await configurator.serviceKeyAuditTrail().filter { $0.contains("brandImage.added \(used)") }.count == 1)
    }
}
