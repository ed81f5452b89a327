internal import EventLoop
internal import FoundationEssentials
internal import Gateway
internal import Glibc
internal import HTTP
internal import Identity
internal import Providers

extension Command {
    static let verifyToken = Command(
        words: ["verify-token"],
        help: """
            verify-token                    tell whether a provider's token would be believed, and why not

              --provider NAME      apple.com or google.com
              --audience ID        a client id that the token may be for; may be repeated
              --nonce RAW          as the app made it, before any hashing
              --allow-raw-nonce    Apple's nonce may also be unhashed
              --profile NAME       whose policy: sekisho (default; Apple's tokens need a nonce) or firebase
              --jwks FILE          the provider's keys, instead of fetching them
              --at SECONDS         since 1970, instead of now
              --notification       it is a notification of Apple's to a server: {"payload": token}, or the token
            Reads the token from standard input and prints JSON without secrets. Exit status 0 if it would be
            believed, 1 if not. Needs neither database nor environment.
            """
    ) { words in
        let trial = try TokenTrial(words)
        let verdict = try trial.run(on: try Terminal.input(limit: TokenTrial.inputLimit))
        Terminal.writeLine(try verdict.text())
        if !verdict.isAccepted { exit(1) }
    }
}

/// A token held against what the command line says of project and app.
private struct TokenTrial: Sendable {
    /// In bytes; no token that is believed comes near.
    static let inputLimit = 64 * 1024

    let provider: ProviderID
    let project: Project
    let nonce: String?
    let isNotification: Bool
    let keys: [UInt8]?
    let clock: WallClock

    init(_ words: [String]) throws {
        let arguments = try Arguments(
            words, options: ["provider", "audience", "nonce", "profile", "jwks", "at"],
            switches: ["allow-raw-nonce", "notification"])
        try arguments.none()
        provider = ProviderID(try arguments.required("provider"))
        guard provider == .apple || provider == .google else {
            throw UsageError(message: "--provider is apple.com or google.com")
        }
        _ = try arguments.required("audience")
        guard let profile = Policy.Profile(rawValue: arguments.value("profile") ?? "sekisho") else {
            throw UsageError(message: "--profile is sekisho or firebase")
        }
        isNotification = arguments.has("notification")
        guard !isNotification || (provider == .apple && !arguments.has("nonce")) else {
            throw UsageError(message: "--notification is for apple.com, without a nonce")
        }
        nonce = arguments.value("nonce")
        clock = try arguments.number("at", in: 0...253_402_300_799).map { .fixed(at: Instant(seconds: $0)) } ?? .live
        keys = try arguments.value("jwks").map(Self.contents)
        let apple = AppleSettings(teamID: "", keyID: "", acceptsUnhashedNonces: arguments.has("allow-raw-nonce"))
        project = Project(
            id: ID("trial"), number: 0, profile: profile, policy: Policy(profile), authorizedDomains: [],
            providers: [
                ProviderSettings(
                    provider: provider, isEnabled: true, clientIDs: arguments.values("audience"),
                    apple: provider == .apple ? apple : nil)
            ])
    }

    private static func contents(of path: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw UsageError(message: "--jwks: \(path) cannot be read")
        }
    }

    func run(on text: String) throws -> TokenCheck {
        let loop = try Loop(name: "command")
        defer { loop.stop() }
        return try loop.waitFor {
            if let keys { return try await judge(text, DocumentFetch { _ in (keys, nil) }, on: loop) }
            let client = try HTTP.Client(loop: loop)
            let verdict: Result<TokenCheck, any Error>
            do { verdict = .success(try await judge(text, .http(client), on: loop)) } catch {
                verdict = .failure(error)
            }
            await client.close()
            return try verdict.get()
        }
    }

    private func judge(_ text: String, _ fetch: DocumentFetch, on loop: Loop) async throws -> TokenCheck {
        let keys = JWKSCache(fetch: fetch, shelf: .none, clock: clock, on: loop)
        let header = TokenHeader(of: text)
        do {
            guard isNotification else { return try await .accepted(identity(in: text, keys), header) }
            let clientIDs = project.settings(of: provider)?.clientIDs ?? []
            return .accepted(
                try await AppleNotifications(keys: keys).read(text, for: clientIDs, at: clock.now()), header)
        } catch let refusal as ProviderRefusal {
            return .refused(refusal, header, of: provider, at: clock.now())
        } catch let error as ProviderUnreachable {
            return .unknown(error, header)
        }
    }

    private func identity(in text: String, _ keys: JWKSCache) async throws -> VerifiedIdentity {
        let token = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let credential = FederatedCredential(provider: provider, idToken: Secret(token), rawNonce: nonce)
        return try await Verifier.live(keys: keys, clock: clock).verify(credential, App(id: ID("trial")), project)
    }
}
