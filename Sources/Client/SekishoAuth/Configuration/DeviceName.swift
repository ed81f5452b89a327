internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

enum DeviceName {
    /// The default of ``SekishoOptions/deviceName``.
    static var standard: String {
        let info = Bundle.main.infoDictionary ?? [:]
        let version = (info["CFBundleShortVersionString"] as? String).map { "/\($0)" } ?? ""
        // `operatingSystemVersionString` is localized, so it can contain characters other than ASCII.
        let release = ProcessInfo.processInfo.operatingSystemVersion
        let app = appName(from: [info["CFBundleName"], info["CFBundleExecutable"]].map { $0 as? String })
        return "\(app)\(version) (\(machine); \(system) \(release.majorVersion).\(release.minorVersion))"
    }

    /// Returns the first usable name: one of `candidates`, then the name of the process, then `app`. A usable name is
    /// not empty and contains only ASCII characters, because other characters are sent as `?`.
    static func appName(from candidates: [String?]) -> String {
        (candidates + [ProcessInfo.processInfo.processName]).lazy.compactMap { $0 }
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

    /// The model or architecture of the device, for example `iPhone17,1` or `x86_64`.
    private static var machine: String {
        var system = utsname()
        guard uname(&system) == 0 else { return "unknown" }
        return withUnsafeBytes(of: system.machine) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
