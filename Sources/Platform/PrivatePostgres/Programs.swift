internal import CSystem
internal import FoundationEssentials

enum Programs {
    /// The full path of `name`, searched in `PATH` and in the system's folders.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (path.split(separator: ":").map(String.init) + ["/usr/bin", "/bin"])
            .map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }

    /// The folder of `initdb` and `postgres`: the newest version in Debian's layout, otherwise the one on `PATH`.
    static func postgresFolder() throws(PrivatePostgresError) -> String {
        let root = "/usr/lib/postgresql"
        // The error does not matter: without the folder, this is not Debian's layout.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest =
            versions.compactMap { Int($0) }.sorted(by: >)
            .map { "\(root)/\($0)/bin" }
            .first { access("\($0)/initdb", X_OK) == 0 && access("\($0)/postgres", X_OK) == 0 }
        if let newest { return newest }
        guard let initdb = find("initdb") else { throw .missing("PostgreSQL (initdb, postgres)") }
        return String(initdb.dropLast("/initdb".count))
    }
}
