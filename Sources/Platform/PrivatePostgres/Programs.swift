internal import CSystem
internal import FoundationEssentials

/// Finds the programs that a private server needs.
enum Programs {
    /// Returns the full path of a program in `PATH` or in the system's folders; `nil` if there is none.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (path.split(separator: ":").map(String.init) + ["/usr/bin", "/bin"])
            .map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }

    /// Returns the folder that contains `initdb` and `postgres`: that of the newest version in Debian's layout,
    /// otherwise the folder in which ``find(_:)`` finds `initdb`.
    static func postgresFolder() throws(PrivatePostgresError) -> String {
        let root = "/usr/lib/postgresql"
        // The error does not matter: without the folder, this is not Debian's layout.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest =
            versions.compactMap { Int($0) }.sorted(by: >)
            .map { "\(root)/\($0)/bin" }
            .first { access("\($0)/initdb", X_OK) == 0 && access("\($0)/postgres", X_OK) == 0 }
        if let newest { return newest }
        guard let initdb = find("initdb") else {
            throw .missing(
                "PostgreSQL (initdb, postgres)",
                instruction: "install PostgreSQL's server, or add its programs to PATH")
        }
        return String(initdb.dropLast("/initdb".count))
    }
}
