import Testing

/// SwiftPM builds a module that imports what it never declared; this table is what keeps the arrows pointing down.
@Suite("The layers")
struct LayeringTests {
    static let outside: Set<String> = ["FoundationEssentials", "Glibc", "Synchronization", "Testing"]

    static let allowed: [String: Set<String>] = [
        "EventLoop": ["CSystem"],
        "JSONText": [],
        "Crypto": ["CSystem"],
        "JOSE": ["Crypto", "JSONText"],
        "Curl": ["EventLoop", "CSystem"],
        "HTTP": ["Curl", "EventLoop", "CSystem"],
        "SMTP": ["Curl", "EventLoop", "CSystem"],
        "Postgres": ["EventLoop", "CSystem"],
        "PrivatePostgres": ["EventLoop", "CSystem"],
        "Telemetry": [],
        "Identity": [],
        "Providers": ["Identity", "JOSE", "Crypto", "HTTP", "JSONText", "EventLoop"],
        "Tokens": ["Identity", "JOSE", "Crypto", "JSONText"],
        "Storage": ["Identity", "JSONText", "Postgres"],
        "Mail": ["Identity", "SMTP", "EventLoop"],
        "Pages": ["Identity", "HTTP"],
        "API": ["Identity", "HTTP", "JSONText", "Pages", "Telemetry"],
        "Simulators": ["JOSE", "Crypto", "HTTP", "EventLoop", "JSONText"],
    ]

    @Test("no module imports what is not below it", arguments: allowed.keys.sorted())
    func imports(of module: String) throws {
        let allowed = try #require(Self.allowed[module]).union(Self.outside)
        for file in try Repository.files(in: "Sources/\(module)", ending: ".swift") {
            let imported = try Repository.text(file).matches(
                of: #/^(?:\w+ )*import (?:struct |enum |class )?(\w+)/#.anchorsMatchLineEndings()
            )
            .map { String($0.output.1) }
            for name in imported where !allowed.contains(name) { Issue.record("\(file) imports \(name)") }
        }
    }

    @Test("every module but the executable has its line in the table")
    func complete() throws {
        let folders = Set(try Repository.files(in: "Sources", ending: ".swift").map { $0.split(separator: "/")[1] })
        #expect(folders.subtracting(["sekisho"]) == Set(Self.allowed.keys.map { $0[...] }))
    }

    @Test("what belongs to dev mode is out of reach of everything but dev mode")
    func devAlone() throws {
        let words = [
            "import Simulators", ".unsigned(orElse", ".fake(orElse", ".anybody", "DevSimulators", "DevMail",
            "CodeInspection(", ".dev(",
        ]
        for file in try Repository.files(in: "Sources", ending: ".swift")
        where !file.hasPrefix("Sources/sekisho/Dev/") && file != "Sources/sekisho/Commands/Dev.swift" {
            let text = try Repository.text(file)
            for word in words where text.contains(word) { Issue.record("\(file) names \(word)") }
        }
    }

    @Test("nothing leaves its loop through a bare Task, and nothing gives up at run time")
    func forbiddenWords() throws {
        let forbidden = #/(^|[^a-zA-Z(.])Task \{|try!|fatalError\(|\bas! |\bTODO\b|\bFIXME\b/#
        for file in try Repository.files(in: "Sources", ending: ".swift") {
            for line in try Repository.text(file).split(separator: "\n") where line.firstMatch(of: forbidden) != nil {
                Issue.record("\(file): \(line)")
            }
        }
    }

    @Test("no file is longer than 300 lines")
    func fileLength() throws {
        for file in try Repository.files(in: "Sources", ending: ".swift") {
            let lines = try Repository.text(file).split(separator: "\n", omittingEmptySubsequences: false).count
            if lines > 300 { Issue.record("\(file): \(lines) lines") }
        }
    }
}
