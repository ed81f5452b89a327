internal import DevMode
internal import EventLoop
internal import Gateway
internal import HTTP
internal import Identity
internal import JSON

extension Command {
    static let simulate = Command(
        words: ["simulate"],
        help: """
            simulate PROVIDER               sign somebody in at the Apple or Google of a running `sekisho dev`

            PROVIDER is apple.com or google.com. Prints, in JSON, what an app gets from it, and a postBody for
            accounts:signInWithIdp. Apple tells a name only the first time.
              --email ADDRESS     who it is; Ada Lovelace unless told
              --given-name NAME
              --family-name NAME
              --hide-email        Apple gives the app a relay address
              --nonce RAW         as the app made it, before hashing
              --first-time        as if this person had never used the app
              --project ID        "demo" unless told
              --url URL           of the gateway; http://127.0.0.1:9099 unless told
            """
    ) { words in
        let arguments = try Arguments(
            words, options: ["email", "given-name", "family-name", "nonce", "project", "url"],
            switches: ["hide-email", "first-time"])
        let provider = try arguments.only("provider")
        let project = arguments.value("project") ?? "demo"
        guard ProjectDraft.canBeID(project) else { throw UsageError(message: "\(project) cannot be a project's id") }
        let gateway = arguments.value("url") ?? "http://127.0.0.1:9099"
        Terminal.writeLine(
            try answer(
                to: ClientRequest(
                    .post, "\(gateway)/emulator/v1/projects/\(project)/simulatedSignIns",
                    body: try StrictJSON.encode(signIn(at: provider, arguments)), destination: .anywhere)))
    }

    private static func signIn(at provider: String, _ arguments: Arguments) -> JSONValue {
        var person: [String: JSONValue] = [:]
        for (option, member) in [("email", "email"), ("given-name", "givenName"), ("family-name", "familyName")] {
            person[member] = arguments.value(option).map(JSONValue.string)
        }
        if arguments.has("hide-email") { person["hidesEmail"] = .bool(true) }
        var signIn: [String: JSONValue] = ["providerId": .string(provider), "person": .object(person)]
        signIn["rawNonce"] = arguments.value("nonce").map(JSONValue.string)
        if arguments.has("first-time") { signIn["firstTime"] = .bool(true) }
        return .object(signIn)
    }

    private static func answer(to request: ClientRequest) throws -> String {
        let loop = try Loop(name: "simulate")
        defer { loop.stop() }
        let client = try HTTP.Client(loop: loop)
        let result: Result<ClientResponse, any Error> = try loop.waitFor {
            let result: Result<ClientResponse, any Error>
            do { result = .success(try await client.send(request)) } catch { result = .failure(error) }
            await client.close()
            return result
        }
        switch result {
        case .failure(let fault): throw Failure(message: "no `sekisho dev` answers there: \(fault)")
        case .success(let answer):
            let text = String(decoding: answer.body, as: UTF8.self)
            guard answer.status == 200 else { throw Failure(message: "refused with \(answer.status): \(text)") }
            return text
        }
    }
}
