internal import Encoding
internal import Gateway
internal import Identity
internal import JSON
internal import Storage

extension Command {
    static let testHook = Command(
        words: ["hooks", "test"],
        summary: "Call a blocking function with an example account, and print the request and the answer",
        operand: Operand(placeholder: "EVENT", noun: "event"),
        options: [
            .project, .tenant,
            .flag("dev", "the database is one of `sekisho dev`, whose functions can be http URLs of this machine"),
        ],
        details: [
            "EVENT is \(BlockingFunctions.Event.allCases.map(\.rawValue).joined(separator: ", ")). The account does not exist, and nothing is stored. The command calls the function as `sekisho serve` does, and prints JSON: the claims of the token, the status and the body of the answer, and the result: `allowed`, or why not. It fails if the function refuses, or if its answer is not valid."
        ],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY", "SEKISHO_PUBLIC_URL"]
    ) { arguments in
        guard let event = BlockingFunctions.Event(rawValue: arguments.operand) else {
            throw UsageError(message: "unknown event: \(arguments.operand)")
        }
        let id = try arguments.realm()
        var reader = SettingsReader.live()
        let publicURL = reader.required(Settings.publicURL, "an https URL without path", Config.parse(publicURL:))
        try reader.requireNoProblems()
        guard let publicURL else { return }
        let isDevelopment = arguments.has("dev")
        try Administration.runWithKeys(for: isDevelopment ? .dev : .serve) { administration, masterKeys in
            let trial = try await administration.tryHook(
                event, in: id, under: masterKeys, publicURL: publicURL, allowsLoopback: isDevelopment)
            let claims = try StrictJSON.decode(JSONValue.self, from: Array(trial.claims.utf8))
            let shown: JSONObject = [
                "claims": claims, "status": .integer(Int64(trial.status)), "body": .string(trial.body),
                "result": .string(trial.refusal ?? "allowed"),
            ]
            Terminal.writeLine(JSONValue.object(shown).indentedText)
            if trial.refusal != nil { throw Failure(message: "the function refused, or its answer is not valid") }
        }
    }
}
