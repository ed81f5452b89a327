import Identity
import Testing

@Suite("The callers of an app's keys")
struct AllowedCallersTests {
    static let app = App(
        id: ID("app"),
        settings: AppSettings(
            bundleIDs: ["com.example.app"],
            callers: AllowedCallers(
                androidPackages: ["com.example.android"],
                androidCertificates: ["DA:39:A3:EE:5E:6B:4B:0D:32:55:BF:EF:95:60:18:90:AF:D8:07:09"],
                webDomains: ["example.com", "*.apps.example.com"])))

    static let certificate = "da39a3ee5e6b4b0d3255bfef95601890afd80709"

    static func refusal(
        _ headers: [String: String], isRequired: Bool = false, of app: App = app
    ) -> CallerRefusal? {
        do {
            try app.checkCaller(isRequired: isRequired) { headers[$0] }
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "An iOS app is accepted by its bundle ID, with or without a suffix after a dot; an empty header is ignored",
        arguments: [
            ("com.example.app", true), ("com.example.app.widget", true), ("", true), ("com.example.application", false),
            ("com.example", false), ("COM.EXAMPLE.APP", false), ("com.example.app ", false),
        ])
    func bundleID(value: String, isAccepted: Bool) {
        let refusal = Self.refusal(["X-Ios-Bundle-Identifier": value])
        #expect(refusal == (isAccepted ? nil : .ios(bundleID: value)))
    }

    @Test(
        "An Android app is accepted unless a header states a package or a certificate that is not listed",
        arguments: [
            ("com.example.android", certificate, true), ("com.example.android", nil, true),
            ("com.example.android", certificate.uppercased(), true), ("com.example.android.x", certificate, false),
            ("com.example.android", "00", false), (nil, "00", false), (nil, certificate, true),
        ] as [(String?, String?, Bool)])
    func android(package: String?, certificate: String?, isAccepted: Bool) {
        var headers: [String: String] = [:]
        headers["X-Android-Package"] = package
        headers["X-Android-Cert"] = certificate
        #expect(Self.refusal(headers) == (isAccepted ? nil : .android(package: package)))
    }

    @Test(
        "A web page is accepted by its origin, or by its referrer if the origin is missing or `null`",
        arguments: [
            ("https://example.com", true), ("https://EXAMPLE.com:8443", true), ("http://example.com/", true),
            ("https://a.apps.example.com", true), ("https://a.b.apps.example.com", true),
            ("https://apps.example.com", false), ("https://www.example.com", false), ("https://evilexample.com", false),
            ("https://example.com.evil.example", false), ("https://evil.example/example.com", false),
            ("https://evil.example/?https://example.com", false), ("https://example.com@evil.example/", false),
            ("https://evil.example#@example.com/", false), ("example.com", false), ("file://", false),
            ("https://evil.example\\@example.com/", false),
        ])
    func page(url: String, isAccepted: Bool) {
        #expect(Self.refusal(["Origin": url]) == (isAccepted ? nil : .web(referrer: url)))
        #expect(Self.refusal(["Referer": url]) == (isAccepted ? nil : .web(referrer: url)))
        #expect(Self.refusal(["Origin": "null", "Referer": url]) == (isAccepted ? nil : .web(referrer: url)))
    }

    @Test("The referrer is ignored if there is an origin")
    func origin() {
        let headers = ["Origin": "https://evil.example", "Referer": "https://example.com/"]
        #expect(Self.refusal(headers) == .web(referrer: "https://evil.example"))
    }

    @Test(
        "If the policy requires a caller header, a request needs a bundle ID, both Android headers, or an origin")
    func required() {
        #expect(Self.refusal([:]) == nil)
        #expect(Self.refusal([:], isRequired: true) == .ios(bundleID: nil))
        #expect(Self.refusal(["X-Ios-Bundle-Identifier": "com.example.app"], isRequired: true) == nil)
        #expect(Self.refusal(["Origin": "https://example.com"], isRequired: true) == nil)
        let package = ["X-Android-Package": "com.example.android"]
        #expect(Self.refusal(package, isRequired: true) == .android(package: "com.example.android"))
        #expect(Self.refusal(package.merging(["X-Android-Cert": Self.certificate]) { $1 }, isRequired: true) == nil)
        var web = Self.app
        web.settings.bundleIDs = []
        web.settings.callers.androidPackages = []
        #expect(Self.refusal([:], isRequired: true, of: web) == .web(referrer: nil))
    }

    @Test("If the app lists no callers, every caller is accepted, and no header is read")
    func unrestricted() {
        var names: [String] = []
        #expect(throws: Never.self) {
            try App(id: ID("app")).checkCaller(isRequired: true) {
                names.append($0)
                return "https://evil.example"
            }
        }
        #expect(names.isEmpty)
    }
}
