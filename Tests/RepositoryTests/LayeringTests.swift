import Identity
import Testing

/// SwiftPM accepts imports that a target does not declare. These tables therefore list the permitted imports.
@Suite("Layers")
struct LayeringTests {
    static let externalModules: Set<String> = ["FoundationEssentials", "Glibc", "Synchronization", "Testing"]

    /// The modules of `Sources/Platform`, each with the modules that it may import.
    static let platform: [String: Set<String>] = [
        "Encoding": [],
        "DomainNames": ["CSystem"],
        "IPAddresses": ["Encoding"],
        "EventLoop": ["CSystem"],
        "JSON": ["Encoding"],
        "HTML": [],
        "QRCode": ["CQREncode", "HTML"],
        "Crypto": ["Encoding", "CSystem"],
        "JOSE": ["Crypto", "Encoding", "JSON"],
        "CBOR": ["CCBOR", "Encoding"],
        "WebAuthn": ["CBOR", "Crypto", "Encoding", "JSON"],
        "Curl": ["EventLoop", "IPAddresses", "CSystem"],
        "HTTP": ["Curl", "Encoding", "EventLoop", "IPAddresses", "CSystem"],
        "SMTP": ["Curl", "Encoding", "EventLoop", "IPAddresses", "CSystem"],
        "Postgres": ["EventLoop", "IPAddresses", "CSystem"],
        "PrivatePostgres": ["Encoding", "EventLoop", "CSystem"],
        "Telemetry": ["Encoding"],
    ]

    /// The modules that ``layers`` permits for the modules `Gateway`, `DevMode` and `Commands`.
    static let gateway: Set<String> = [
        "API", "Crypto", "Email", "Encoding", "EventLoop", "HTTP", "IPAddresses", "Identity", "JOSE", "JSON",
        "Passwords", "Postgres", "Providers", "SMTP", "Storage", "Telemetry", "Tokens", "WebAuthn", "Webhooks",
    ]

    /// The other modules of `Sources`, each with the modules that it may import.
    static let layers: [String: Set<String>] = [
        "Identity": ["DomainNames", "Encoding"],
        "Passwords": ["Identity", "Crypto", "Encoding", "EventLoop", "HTTP"],
        "Providers": ["Identity", "JOSE", "Crypto", "Encoding", "HTTP", "JSON", "EventLoop"],
        "Tokens": ["Identity", "JOSE", "Crypto", "Encoding", "JSON"],
        "Webhooks": ["Identity", "Crypto", "Encoding", "HTTP", "IPAddresses", "JSON"],
        "Storage": ["Identity", "Encoding", "EventLoop", "JSON", "Postgres"],
        "Pages": ["Encoding", "Identity", "HTML", "HTTP", "QRCode"],
        "API": ["CReference", "Identity", "Encoding", "HTTP", "IPAddresses", "JSON", "Pages", "Telemetry"],
        "Email": ["Identity", "HTML", "Pages", "SMTP", "EventLoop"],
        "Gateway": gateway.union(["CProgramPages", "Console", "HTML", "Pages"]),
        "Console": ["Crypto", "Encoding", "HTML", "HTTP", "JSON", "QRCode"],
        "Simulators": ["JOSE", "Crypto", "Encoding", "HTML", "HTTP", "EventLoop", "JSON"],
        "DevMode": gateway.union(["Console", "Gateway", "HTML", "PrivatePostgres", "Simulators"]),
        "Commands": gateway.union(["Gateway", "DevMode"]),
        "sekisho": ["Commands"],
    ]

    /// The folder of the library for apps, which is not a layer of the gateway.
    static let client = "Sources/Client"
    /// The modules that the library for apps may import. `Synchronization` is not permitted, because it needs newer
    /// systems than the library supports.
    static let clientImports: Set<String> = [
        "AppKit", "AuthenticationServices", "CryptoKit", "Dispatch", "Foundation", "FoundationNetworking", "Glibc",
        "PackageDescription", "Security", "UIKit",
    ]

    /// Every module's folder with the modules of this package that its files may import.
    static let allowed = Dictionary(
        uniqueKeysWithValues: platform.map { ("Sources/Platform/\($0)", $1) } + layers.map { ("Sources/\($0)", $1) })

    /// The modules that a file of Sources or Examples imports.
    static func imports(of file: String) throws -> [String] { try #require(try importsByFile.get()[file]) }

    private static let importsByFile = Result {
        let files = try ["Sources", "Examples"].flatMap { try Repository.files(in: $0, ending: ".swift") }
        return Dictionary(uniqueKeysWithValues: try files.map { ($0, imports(in: try Repository.text($0))) })
    }

    private static func imports(in text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 5)
            // At most an attribute and an access level precede the keyword.
            guard let keyword = words.prefix(3).firstIndex(of: "import"),
                !words[..<keyword].contains(where: { $0.hasPrefix("//") })
            else { return nil }
            return words[(keyword + 1)...].first { !["struct", "enum", "class"].contains($0) }
                .map { String($0.prefix { $0 != "." }) }
        }
    }

    @Test("A module imports only the modules that the tables permit", arguments: allowed.keys.sorted())
    func modules(folder: String) throws {
        let allowed = try #require(Self.allowed[folder]).union(Self.externalModules)
        for file in try Repository.files(in: folder, ending: ".swift") {
            for name in try Self.imports(of: file) where !allowed.contains(name) {
                Issue.record("\(file) imports \(name)")
            }
        }
    }

    @Test("Every Swift file of Sources belongs to a module of the tables or to the library for apps")
    func complete() throws {
        let files = try Repository.files(in: "Sources", ending: ".swift")
        let folders = Self.allowed.keys + [Self.client]
        for file in files where !folders.contains(where: { file.hasPrefix($0 + "/") }) {
            Issue.record("\(file) belongs neither to a module of the tables nor to the library for apps")
        }
    }

    @Test("The library for apps imports no module of the gateway, and no module imports the library")
    func client() throws {
        for file in try Repository.files(in: "Sources", ending: ".swift") {
            for name in try Self.imports(of: file) {
                let isAllowed =
                    file.hasPrefix(Self.client + "/") ? Self.clientImports.contains(name) : name != "SekishoAuth"
                if !isAllowed { Issue.record("\(file) imports \(name)") }
            }
        }
    }

    @Test("The sample app imports only system modules, its own module and the library for apps")
    func sampleApp() throws {
        let allowed: Set<String> = [
            "AuthenticationServices", "Combine", "Foundation", "FoundationNetworking", "PackageDescription",
            "SekishoAuth", "SekishoSample", "SwiftUI",
        ]
        for file in try Repository.files(in: "Examples", ending: ".swift") {
            for name in try Self.imports(of: file) where !allowed.contains(name) {
                Issue.record("\(file) imports \(name)")
            }
        }
    }

    /// What opens a session, issues tokens, makes a caller or asks the blocking functions about an account, each with
    /// the files that may contain it.
    static let entrances: [String: Set<String>] = [
        "toOpen": ["Identity/Sessions/Session", "Identity/SignIn/SignInCompletion"],
        "NewSession.init": [],
        "INSERT INTO session ": ["Storage/Sessions/SessionQueries"],
        "any TokenAuthority": [
            "Gateway/Mode", "Identity/Sessions/Authenticator", "Identity/Sessions/SessionCookies",
            "Identity/Sessions/TokenRefresh", "Identity/SignIn/SignInCompletion",
        ],
        "issueTokenPair": [
            "Identity/Sessions/Session", "Identity/Sessions/TokenRefresh", "Identity/SignIn/SignInCompletion",
        ],
        "SignedIn(": ["Identity/Sessions/Session"],
        "hooks.decision": ["Identity/SignIn/SignInCompletion"],
        "withIDTokenOf": ["Identity/Sessions/Authenticator", "Identity/Sessions/Caller"],
        "Caller.init": [],
    ]

    @Test("Only SignInCompletion opens sessions, which pass its gates, and only Authenticator makes callers")
    func entrances() throws {
        for file in try Repository.files(in: "Sources", ending: ".swift") where !file.hasPrefix(Self.client) {
            let text = try Repository.text(file)
            for (word, files) in Self.entrances where text.contains(word) {
                if !files.contains(where: { file == "Sources/\($0).swift" }) {
                    Issue.record("\(file) contains \(word)")
                }
            }
        }
    }

    @Test("No file of Storage names a kind of event: the domain decides which events a change has")
    func eventKinds() throws {
        for file in try Repository.files(in: "Sources/Storage", ending: ".swift")
            + Repository.files(in: "Sources/Storage", ending: ".sql")
        {
            let text = try Repository.text(file)
            let words = AccountEvent.Kind.allCases.flatMap {
                ["\"\($0.rawValue)\"", "'\($0.rawValue)'", "AccountEvent.Kind.\($0)"]
            }
            for word in words + ["AccountEvent("] where text.contains(word) {
                Issue.record("\(file) contains \(word)")
            }
        }
    }

    @Test("Only three commands import dev mode; only dev mode accepts unverified credentials or lists emailed codes")
    func devMode() throws {
        for file in try Repository.files(in: "Sources", ending: ".swift") where !file.hasPrefix("Sources/DevMode/") {
            let isDevCommand = ["Dev", "HookCommands", "Simulate"].contains { file == "Sources/Commands/\($0).swift" }
            for name in ["DevMode", "PrivatePostgres", "Simulators"] {
                if !isDevCommand, try Self.imports(of: file).contains(name) { Issue.record("\(file) imports \(name)") }
            }
            for word in [".unsigned(otherwise", ".fake(isSimulatorKey", ".anyCaller", "OOBCodeLookup("]
            where try Repository.text(file).contains(word) {
                Issue.record("\(file) names \(word)")
            }
        }
    }

    @Test("No file of Sources has try!, fatalError, as!, TODO or FIXME, and the gateway starts no bare Task")
    func forbiddenWords() throws {
        let forbidden = #/try!|fatalError\(|\bas! |\bTODO\b|\bFIXME\b/#
        let bareTask = #/(?:^|[^a-zA-Z(.])Task \{/#.anchorsMatchLineEndings()
        for file in try Repository.files(in: "Sources", ending: ".swift") {
            let text = try Repository.text(file)
            for match in text.matches(of: forbidden) { Issue.record("\(file): \(match.output)") }
            // A bare Task leaves the event loop. The library for apps has no event loop.
            if !file.hasPrefix(Self.client + "/"), text.firstMatch(of: bareTask) != nil {
                Issue.record("\(file) starts a bare Task")
            }
        }
    }

    @Test("The modules that read text from outside compare its beginning and end as bytes")
    func byteComparisons() throws {
        for folder in ["API", "Identity", "Passwords", "Platform/Crypto", "Platform/HTTP", "Providers"] {
            for file in try Repository.files(in: "Sources/\(folder)", ending: ".swift") {
                for match in try Repository.text(file).matches(of: /\bhas(?:Prefix|Suffix)\(/) {
                    Issue.record("\(file) calls \(match.output)), which uses canonical equivalence")
                }
            }
        }
    }

    @Test("No Swift file of Sources has more than 400 lines, nine of ten have fewer than 200, and half fewer than 90")
    func fileLength() throws {
        let lengths = try Repository.files(in: "Sources", ending: ".swift").map { file in
            (file, lines: try Repository.text(file).utf8.count { $0 == UInt8(ascii: "\n") })
        }
        for (file, lines) in lengths where lines > 400 { Issue.record("\(file): \(lines) lines") }
        let sorted = lengths.map(\.lines).sorted()
        #expect(sorted[sorted.count * 9 / 10] < 200)
        #expect(sorted[sorted.count / 2] < 90)
    }

    /// The files of ``modulesOfEveryMode`` that may mention Firebase's emulator or `sekisho dev`, and why.
    static let mentionsOfDev = [
        "Sources/API/AuthorizationFlows/AuthHandler.swift": "serves paths of Firebase's JavaScript SDK in both modes",
        "Sources/API/Wire/Access.swift": "rejects clients that take the gateway for an emulator",
        "Sources/API/Wire/Routes.swift": "lists the endpoints of AuthHandler.swift",
        "Sources/Gateway/Administration/ProjectDraft.swift": "reserves the first component of a path",
        "Sources/Gateway/CompositionRoot.swift": "composes both modes",
        "Sources/Gateway/ConfigurationCache.swift": "reports clients that take the gateway for an emulator",
        "Sources/Gateway/EmulatorClientReporter.swift": "counts clients that take the gateway for an emulator",
        "Sources/Gateway/Mode.swift": "has the hooks of both modes",
        "Sources/Gateway/RunningGateway.swift": "creates the reporter of such clients",
        "Sources/Gateway/Secrets/Canary.swift": "says which command a database belongs to",
        "Sources/Identity/Audit/AuditTrail.swift": "names an actor that the contract lists",
    ]

    /// Modules in which only hooks and rules differ between the modes.
    static let modulesOfEveryMode = ["Sources/Identity", "Sources/API", "Sources/Gateway"]

    @Test("Only the listed files of the modules that production uses mention what only `dev` does")
    func dev() throws {
        let mention = /emulator|dev_?mode|isdev\b|`(sekisho )?dev`/.ignoresCase()
        let files = try Self.modulesOfEveryMode.flatMap { try Repository.files(in: $0, ending: ".swift") }
        let mentioning = try files.filter { try Repository.text($0).firstMatch(of: mention) != nil }
        #expect(Set(mentioning) == Set(Self.mentionsOfDev.keys))
    }
}
