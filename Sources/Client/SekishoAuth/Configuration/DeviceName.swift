internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

enum DeviceName {
    /// For example `Juice/2.1 (iPhone17,1; iOS 26.1)`.
    static var standard: String {
        let info = Bundle.main.infoDictionary ?? [:]
        let version = (info["CFBundleShortVersionString"] as? String).map { "/\($0)" } ?? ""
        // Not the version as text, which is in the user's language.
        let release = ProcessInfo.processInfo.operatingSystemVersion
        let app = app(named: [info["CFBundleName"], info["CFBundleExecutable"]].map { $0 as? String })
        return "\(app)\(version) (\(machine); \(system) \(release.majorVersion).\(release.minorVersion))"
    }

    /// The first name in ASCII, because a header field contains nothing else.
    static func app(named names: [String?]) -> String {
        (names + [ProcessInfo.processInfo.processName]).lazy.compactMap { $0 }
            .first { !$0.isEmpty && $0.allSatisfy(\.isASCII) } ?? "app"
    }

    private static var system: String {
        #if os(iOS)
            "iOS"
        #elseif os(macOS)
            "macOS"
        #elseif os(tvOS)
            "tvOS"
        #elseif os(watchOS)
            "watchOS"
        #elseif os(visionOS)
            "visionOS"
        #else
            "Linux"
        #endif
    }

    /// The hardware's name, for example `iPhone17,1` or `x86_64`.
    private static var machine: String {
        var system = utsname()
        guard uname(&system) == 0 else { return "unknown" }
        return withUnsafeBytes(of: system.machine) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
