internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

enum DeviceName {
    /// For example `Juice/2.1 (iPhone17,1; Version 26.1)`.
    static var standard: String {
        let info = Bundle.main.infoDictionary ?? [:]
        let name = info["CFBundleName"] as? String ?? ProcessInfo.processInfo.processName
        let version = (info["CFBundleShortVersionString"] as? String).map { "/\($0)" } ?? ""
        return "\(name)\(version) (\(machine); \(ProcessInfo.processInfo.operatingSystemVersionString))"
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
