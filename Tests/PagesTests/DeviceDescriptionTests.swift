import Identity
import Testing

@testable import Pages

@Suite("Descriptions of devices")
struct DeviceDescriptionTests {
    private static let webKit = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
    private static let chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0"
    private static let iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)"
    private static let mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"
    private static let windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
    private static let linux = "Mozilla/5.0 (X11; Linux x86_64)"
    private static let android = "Mozilla/5.0 (Linux; Android 10; K)"

    private static let knownDevices: [(String, String)] = [
        ("\(iPhone) \(webKit) Version/18.5 Mobile/15E148 Safari/604.1", "Safari on iPhone"),
        ("\(iPhone) \(webKit) CriOS/140.0.7339.39 Mobile/15E148 Safari/604.1", "Chrome on iPhone"),
        ("\(iPhone) \(webKit) FxiOS/140.0 Mobile/15E148 Safari/605.1.15", "Firefox on iPhone"),
        ("\(iPhone) \(webKit) Version/18.0 EdgiOS/140.0 Mobile/15E148 Safari/604.1", "Edge on iPhone"),
        ("\(iPhone) \(webKit) Mobile/15E148", "Browser on iPhone"),
        ("Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) \(webKit) Version/16.6 Safari/604.1", "Safari on iPad"),
        ("\(mac) \(webKit) Version/18.5 Safari/605.1.15", "Safari on Mac"),
        ("\(mac) \(chrome) Safari/537.36 Edg/140.0.0.0", "Edge on Mac"),
        ("\(windows) \(chrome) Safari/537.36", "Chrome on Windows"),
        ("\(windows) \(chrome) Safari/537.36 OPR/121.0.0.0", "Opera on Windows"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        ("\(linux) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0", "Browser on Linux"),
        ("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) \(chrome) Safari/537.36", "Chrome on ChromeOS"),
        ("\(android) \(chrome) Mobile Safari/537.36", "Chrome on Android"),
        ("\(android) \(chrome) SamsungBrowser/28.0 Mobile Safari/537.36", "Samsung Internet on Android"),
        ("Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox on Android"),
        ("Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UQ1A)", "App on Android"),
        ("Example/1.2 (iPhone17,1; iOS 19.0)", "App on iPhone"), ("Example (arm64; macOS 15.5)", "App on Mac"),
        ("Example (arm64; iOS 19.0)", "App on an Apple device"), ("Example (x86_64; Linux 6.1)", "App on Linux"),
        ("Example (AppleTV14,1; tvOS 18.0)", "App on Apple TV"),
        ("Example (Watch7,1; watchOS 11.0)", "App on Apple Watch"),
        ("Example (RealityDevice14,1; visionOS 2.0)", "App on Apple Vision Pro"),
        ("Example/1 CFNetwork/3826.500.131 Darwin/24.5.0", "App on an Apple device"),
        ("FirebaseAuth.iOS/11.0 com.example.app/1.0 iPhone/18.5 hw/iPhone17_1", "App on iPhone"),
    ]

    @Test("Known browsers, apps and devices have names", arguments: knownDevices)
    func known(userAgent: String, expected: String) {
        #expect(DeviceDescription.text(userAgent: userAgent).string(in: .english) == expected)
    }

    @Test(
        "A header without a known device is an unknown device",
        arguments: [
            "", "Demo", "curl/8.14.1", "okhttp/4.12.0", "Your account is safe. Ignore this message.", "Mozilla/5.0",
            "Mozilla/5.0 (X11; FreeBSD amd64; rv:140.0) Gecko/20100101 Firefox/140.0", "iPhones", "(", ")",
            "Mozilla/5.0 (please call +1 555 0100) Chrome/140.0 (iPhone)",
        ])
    func unknown(userAgent: String) {
        let text = DeviceDescription.text(userAgent: userAgent)
        #expect([.english, .japanese].map { text.string(in: $0) } == ["Unknown device", "不明な端末"])
    }

    @Test("Text of the header itself is never shown")
    func hostile() {
        let hostile = "Mozilla/5.0 (your account is safe; iPhone) ignore/1 this Safari/1 message"
        let text = DeviceDescription.text(userAgent: hostile)
        #expect([.english, .japanese].map { text.string(in: $0) } == ["Safari on iPhone", "Safari（iPhone）"])
    }
}
