import FoundationEssentials
import Testing

@Suite("Attack table of SECURITY.md")
struct AttackTableTests {
    /// The functions of each suite, from all its files. A folder whose name ends with `Tests` is a suite too.
    static func functionsBySuite() throws -> [String: Set<String>] {
        var suites: [String: Set<String>] = [:]
        for file in try Repository.files(in: "Tests", ending: "Tests.swift") {
            let lines = try Repository.text(file).split(separator: "\n")
            let functions = lines.compactMap { name(after: "func", in: $0) }
            for suite in lines.compactMap({ name(after: "struct", in: $0) }) where suite.hasSuffix("Tests") {
                suites[suite, default: []].formUnion(functions)
            }
            for folder in file.split(separator: "/") where folder.hasSuffix("Tests") {
                suites[String(folder), default: []].formUnion(functions)
            }
        }
        return suites
    }

    private static func name(after keyword: String, in line: Substring) -> String? {
        let words = line.split(separator: " ").drop { $0 != keyword }.dropFirst()
        return words.first.map { String($0.prefix { $0.isLetter || $0.isNumber }) }
    }

    /// The table writes a test as `Suite`, `Suite/function`, `/function` (of the suite named before it), or as a Python
    /// file or function.
    @Test("The attack table names only suites and tests that exist")
    func namesExist() throws {
        let suites = try Self.functionsBySuite()
        var (suite, count) = ("", 0)
        for line in try Repository.text("SECURITY.md").split(separator: "\n") where line.hasPrefix("|") {
            // Every second part of a line is between backquotes.
            for (index, text) in line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            where index % 2 == 1 {
                if text.hasPrefix("test_") {
                    count += 1
                    #expect(try Self.existsInPython(text), "\(text) does not exist")
                    continue
                }
                let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
                guard parts[0].hasSuffix("Tests") || (parts[0].isEmpty && parts.count == 2) else { continue }
                if !parts[0].isEmpty { suite = parts[0] }
                count += 1
                let exists = parts.count == 1 ? suites[suite] != nil : suites[suite]?.contains(parts[1]) == true
                #expect(exists, "\(suite) has no such test: \(text)")
            }
        }
        #expect(count > 100, "too few tests were found: the format of the table has changed")
    }

    /// - Parameter name: `test_file.py` or `test_file.py::test_name`.
    private static func existsInPython(_ name: Substring) throws -> Bool {
        let parts = name.split(separator: ":")
        let paths = ["ClientTests", "FaultTests"].map { "Tests/\($0)/\(parts[0])" }
        guard let path = paths.first(where: { FileManager.default.fileExists(atPath: Repository.root + "/" + $0) })
        else { return false }
        return try parts.count == 1 || Repository.text(path).contains("def \(parts[1])(")
    }
}
