internal import Gateway
internal import Identity
internal import Storage

/// The streams of Google's security event tokens (Cross-Account Protection).
extension Command {
    static let registerGoogleSignals = Command(
        words: ["signals", "google", "register"],
        summary: "Make Google report revoked sessions and disabled accounts of its users to the gateway",
        options: [
            .project,
            .text(
                "key-file", "PATH", "JSON file with the key of a service account of the project at Google",
                isRequired: true),
            .text(
                "url", "URL", "URL of the gateway's operation",
                defaultNote: "SEKISHO_PUBLIC_URL/v1/google/securityEvents"),
            simulator,
        ],
        details: [
            "The service account needs the role RISC Configuration Admin (roles/riscconfigs.admin), and its project at Google the RISC API. The gateway stores the key encrypted, and tests the stream once a day."
        ],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY", "SEKISHO_PUBLIC_URL (unless --url is given)"]
    ) { arguments in
        let project = try arguments.project()
        let key = try arguments.file("key-file", InputFile.bytes(of:)) ?? []
        let url = try arguments.optionalText("url") ?? defaultURL()
        try runGoogle(arguments) { streams in
            try await streams.register(url, withKey: key, by: .commandLine, of: project)
            Terminal.writeLine("Google sends security events of the project \(project) to \(url)")
        }
    }

    static let googleSignalStatus = Command(
        words: ["signals", "google", "status"],
        summary: "Show where Google sends security events, and when a test event last arrived",
        options: [.project, simulator],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY"]
    ) { arguments in
        let project = try arguments.project()
        try runGoogle(arguments) { streams in
            let status = try await streams.status(of: project)
            Terminal.writeTable([
                ["URL", status.url], ["URL AT GOOGLE", status.urlAtGoogle ?? "none"], ["STATUS", status.status],
                ["LAST TEST", status.requestedAt?.iso8601 ?? "never"],
                ["LAST ARRIVAL", status.verifiedAt?.iso8601 ?? "never"], ["MISSED TESTS", String(status.misses)],
            ])
        }
    }

    static let verifyGoogleSignals = Command(
        words: ["signals", "google", "verify"],
        summary: "Make Google send a test event",
        options: [.project, simulator],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY"]
    ) { arguments in
        let project = try arguments.project()
        try runGoogle(arguments) { streams in
            try await streams.test(project)
            Terminal.writeLine("requested: `sekisho signals google status` shows when the event arrives")
        }
    }

    static let unregisterGoogleSignals = Command(
        words: ["signals", "google", "unregister"],
        summary: "Make Google send no more security events, and delete the stored key",
        options: [.project, .yes, simulator],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY"]
    ) { arguments in
        let project = try arguments.project()
        try arguments.requireConfirmation("Stop the security events of Google for the project \(project)?")
        try runGoogle(arguments) { streams in
            try await streams.unregister(by: .commandLine, of: project)
            Terminal.writeLine("Google sends no more security events of the project \(project)")
        }
    }

    private static let simulator = Option.text(
        "simulator", "URL", "URL of a simulated Google on this machine, for a database of `sekisho dev`")

    private static func runGoogle(
        _ arguments: Arguments, _ body: @escaping @Sendable (GoogleSignalStreams) async throws -> Void
    ) throws {
        let simulator = try arguments.optionalText("simulator").map(TransferArguments.loopbackURL)
        let project = try arguments.project()
        try Administration.runWithKeys(for: simulator == nil ? .serve : .dev) { administration, masterKeys in
            try await administration.requireRealm(ID(project))
            try await administration.withGoogleSignalStreams(at: simulator, under: masterKeys, body)
        }
    }

    private static func defaultURL() throws -> String {
        var reader = SettingsReader.live()
        let publicURL = reader.optional(Settings.publicURL, "an https URL without path", Config.parse(publicURL:))
        try reader.requireNoProblems()
        guard let publicURL else { throw UsageError(message: "set SEKISHO_PUBLIC_URL, or give --url") }
        return "\(publicURL)/v1/google/securityEvents"
    }
}
