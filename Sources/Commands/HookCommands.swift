internal import DevMode
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
            .flag(
                "dev",
                "the database is one of `sekisho dev`, whose functions can be http URLs of this machine, and whose tokens are unsigned"
            ),
            .flag("signed-tokens", "with --dev: the gateway was started with --signed-tokens, so sign the token"),
            .text(
                "data", "DIR", "with --dev: the directory of `sekisho dev`, which has the master key",
                default: ".sekisho"),
        ],
        details: [
            "EVENT is \(BlockingFunctions.Event.allCases.map(\.rawValue).joined(separator: ", ")). The account does not exist, and nothing is stored. The command calls the function as `sekisho serve` does, and with --dev as `sekisho dev` does, and prints JSON: the claims of the token, the status and the body of the answer, and the result: `allowed`, or why not. It fails if the function refuses, or if its answer is not valid."
        ],
        environment: [
            "DATABASE_URL", "SEKISHO_MASTER_KEY (not with --dev)", "SEKISHO_PUBLIC_URL (not with --dev)",
        ]
    ) { arguments in
        guard let event = BlockingFunctions.Event(rawValue: arguments.operand) else {
            throw UsageError(message: "unknown event: \(arguments.operand)")
        }
        let id = try arguments.realm()
        let isDevelopment = arguments.has("dev")
        let signsTokens = arguments.has("signed-tokens")
        guard isDevelopment || !signsTokens else { throw UsageError(message: "--signed-tokens requires --dev") }
        let mode: Mode =
            isDevelopment ? .emulator(project: id.project, signsTokens: signsTokens) : .serve(at: try publicURL())
        let devKeys = isDevelopment ? try DevDirectory.storedMasterKeys(in: try arguments.text("data")) : nil
        try Administration.runWithKeys(for: isDevelopment ? .dev : .serve, under: devKeys) {
            administration, masterKeys in
            let trial = try await administration.tryHook(event, in: id, under: masterKeys, mode: mode)
            let claims = try StrictJSON.decode(JSONValue.self, from: Array(trial.claims.utf8))
            let shown: JSONObject = [
                "claims": claims, "status": .integer(Int64(trial.status)), "body": .string(trial.body),
                "result": .string(trial.refusal ?? "allowed"),
            ]
            Terminal.writeLine(JSONValue.object(shown).indentedText)
            if trial.refusal != nil { throw Failure(message: "the function refused, or its answer is not valid") }
        }
    }

    private static func publicURL() throws -> String {
        var reader = SettingsReader.live()
        let url = reader.required(Settings.publicURL, "an https URL without path", Config.parse(publicURL:))
        try reader.requireNoProblems()
        guard let url else { throw Failure(message: "SEKISHO_PUBLIC_URL is not set") }
        return url
    }
}
