internal import CSystem
internal import FoundationEssentials

enum Programs {
    /// The full path of `name`, looked up on `PATH` and in the system's own folders.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (path.split(separator: ":").map(String.init) + ["/usr/bin", "/bin"])
            .map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }

    /// The folder of `initdb` and `postgres`: the newest version in Debian's layout, else wherever `PATH` says.
    static func postgresFolder() throws(PrivatePostgresError) -> String {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []  // absent: not Debian
        let newest =
            versions.compactMap { Int($0) }.sorted(by: >)
            .map { "\(root)/\($0)/bin" }
            .first { access("\($0)/initdb", X_OK) == 0 && access("\($0)/postgres", X_OK) == 0 }
        if let newest { return newest }
        guard let initdb = find("initdb") else { throw .missing("PostgreSQL (initdb, postgres)") }
        return String(initdb.dropLast("/initdb".count))
    }
}
