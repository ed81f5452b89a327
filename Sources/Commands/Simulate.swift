internal import DevMode
internal import Encoding
internal import EventLoop
internal import Gateway
internal import HTTP
internal import Identity
internal import JSON
internal import Providers

extension Command {
    static let simulate = Command(
        words: ["simulate"],
        summary:
            "Print the credential of a simulated sign-in at \(ProviderNames.all(beforeLast: "or")), from a running `sekisho dev`",
        operand: Operand(placeholder: "PROVIDER", noun: "provider"),
        options: [
            .text("email", "ADDRESS", "email address of the user"),
            .text("given-name", "NAME", "given name of the user"),
            .text("family-name", "NAME", "family name of the user"),
            .flag("hide-email", "give the app a private relay address instead of the email address (Apple only)"),
            .text("nonce", "RAW", "nonce of the app, before hashing"),
            .flag("first-time", "sign in as if the user had never used the app"),
            .text("project", "ID", "project ID", default: "demo"),
            .text("url", "URL", "URL of the gateway", default: "http://127.0.0.1:9099"),
        ],
        details: [
            "PROVIDER is \(SupportedProviders.live.all.map(\.id.rawValue).joined(beforeLast: "or")). If none of --email, --given-name and --family-name is given, the user is Ada Lovelace (ada.lovelace@example.com). Like the real Apple, the simulated Apple sends the name only at the first sign-in.",
            "Prints JSON with the data that an app receives from the provider, and the postBody that the app sends to accounts:signInWithIdp. The command itself does not sign in to the gateway.",
        ]
    ) { arguments in
        let project = try arguments.text("project")
        guard ProjectDraft.isValidID(project) else {
            throw UsageError(message: "--project: expected a project ID, got \"\(project)\"")
        }
        let gateway = try arguments.text("url")
        Terminal.writeLine(
            try responseBody(
                to: ClientRequest(
                    .post, "\(gateway)/emulator/v1/projects/\(project)/simulatedSignIns",
                    body: try StrictJSON.encode(requestBody(for: arguments.operand, arguments)),
                    destination: .fromOperator),
                at: gateway))
    }

    private static func requestBody(for provider: String, _ arguments: Arguments) -> JSONValue {
        var person: JSONObject = [:]
        for (option, member) in [("email", "email"), ("given-name", "givenName"), ("family-name", "familyName")] {
            person[ByteText(member)] = arguments.optionalText(option).map(JSONValue.string)
        }
        if arguments.has("hide-email") { person["hidesEmail"] = .bool(true) }
        var signIn: JSONObject = ["providerId": .string(provider), "person": .object(person)]
        signIn["rawNonce"] = arguments.optionalText("nonce").map(JSONValue.string)
        if arguments.has("first-time") { signIn["firstTime"] = .bool(true) }
        return .object(signIn)
    }

    private static func responseBody(to request: ClientRequest, at gateway: String) throws -> String {
        let loop = try Loop(name: "simulate")
        defer { loop.stop() }
        let client = try HTTP.Client(loop: loop)
        let response: ClientResponse
        do {
            response = try loop.waitFor {
                try await perform {
                    try await client.send(request)
                } finally: {
                    await client.close()
                }
            }
        } catch {
            throw Failure(
                message: "cannot reach `sekisho dev` at \(gateway): start `sekisho dev`, or name its URL with --url")
        }
        let text = String(decoding: response.body, as: UTF8.self)
        guard response.status == 200 else {
            throw Failure(message: "the gateway responded with status \(response.status): \(text)")
        }
        return text
    }
}
