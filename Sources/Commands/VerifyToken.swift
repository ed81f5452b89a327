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
        summary: "Check whether the gateway would accept a provider's token, and explain a rejection",
        options: [
            .choice(
                "provider", "NAME", SupportedProviders.live.all.map(\.id.rawValue), "provider that issued the token",
                isRequired: true),
            .text("audience", "ID", "accepted client ID", isRequired: true, isRepeatable: true),
            .text("nonce", "RAW", "nonce of the app, before hashing"),
            .flag("allow-raw-nonce", "accept an unhashed nonce in Apple's token"),
            .choice(
                "profile", "NAME", Policy.Profile.names,
                "policy profile; `sekisho` requires a nonce in Apple's tokens, `firebase` does not",
                default: "sekisho"),
            .text(
                "jwks", "FILE", "file with the JSON Web Key Set that contains the provider's public keys",
                defaultNote: "fetched from the provider"),
            .number(
                "at", "SECONDS", in: 0...253_402_300_799, "time of the check in seconds since 1970",
                defaultNote: "now"),
            .flag(
                "notification",
                "check Apple's server-to-server notification: standard input is {\"payload\": TOKEN}, or TOKEN alone"),
        ],
        details: [
            "Reads the token from standard input and prints the result as JSON without secrets. Exit status: 0 if the token would be accepted, 1 otherwise. Needs no database and no environment variables."
        ]
    ) { arguments in
        let verification = try TokenVerification(arguments)
        let check = try verification.run(on: try Terminal.readInput(limit: TokenVerification.inputLimit))
        Terminal.writeJSON(encoded: check.text)
        if !check.isAccepted { exit(1) }
    }
}

/// Verifies a token with the project and app that the options describe.
private struct TokenVerification: Sendable {
    /// The maximum size of the input, in bytes. Valid tokens are much smaller.
    static let inputLimit = 64 * 1024

    let provider: ProviderID
    let realm: Realm
    let nonce: String?
    let isNotification: Bool
    /// The key set of the provider; `nil` to fetch it from the provider.
    let jwks: [UInt8]?
    let clock: WallClock

    init(_ arguments: Arguments) throws {
        provider = ProviderID(try arguments.text("provider"))
        let profile: Policy.Profile = try arguments.choice("profile")
        isNotification = arguments.has("notification")
        guard !isNotification || (provider == .apple && !arguments.has("nonce")) else {
            throw UsageError(
                message: "--notification requires --provider apple.com, and cannot be combined with --nonce")
        }
        nonce = arguments.optionalText("nonce")
        clock = arguments.optionalNumber("at").map { .fixed(at: Instant(seconds: Int64($0))) } ?? .live
        jwks = try arguments.file("jwks", InputFile.bytes(of:))
        let apple = AppleSettings(teamID: "", keyID: "", acceptsUnhashedNonces: arguments.has("allow-raw-nonce"))
        realm = Realm(
            Project(id: ID("verify-token"), number: 0, profile: profile, authorizedDomains: [], supporting: .live),
            policy: Policy(profile),
            providers: [
                ProviderSettings(
                    provider: provider, isEnabled: true, clientIDs: arguments.texts("audience"),
                    apple: provider == .apple ? apple : nil)
            ])
    }

    func run(on text: String) throws -> TokenCheck {
        let loop = try Loop(name: "command")
        defer { loop.stop() }
        return try loop.waitFor {
            if let jwks { return try await check(text, DocumentFetch { _ in (body: jwks, maxAge: nil) }, on: loop) }
            let client = try HTTP.Client(loop: loop)
            return try await perform {
                try await check(text, .http(client), on: loop)
            } finally: {
                await client.close()
            }
        }
    }

    private func check(_ text: String, _ fetch: DocumentFetch, on loop: Loop) async throws -> TokenCheck {
        let keys = JWKSCache(fetch: fetch, store: .none, clock: clock, on: loop)
        let token = UnverifiedTokenInfo(of: text)
        do {
            guard isNotification else { return try await .accepted(identity(in: text, keys), token) }
            let clientIDs = realm.settings(of: provider)?.clientIDs ?? []
            return .accepted(
                try await AppleNotifications(keyCache: keys).verify(text, for: clientIDs, at: clock.now()), token)
        } catch let refusal as ProviderRefusal {
            return .rejected(refusal, token, of: provider, at: clock.now())
        } catch let error as ProviderUnreachable {
            return .unverifiable(error, token)
        }
    }

    private func identity(in text: String, _ keys: JWKSCache) async throws -> VerifiedIdentity {
        // Removes whitespace around the token. Whitespace within the token stays, so that the token is rejected.
        let token = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let credential = FederatedCredential(provider: provider, idToken: Secret(token), rawNonce: nonce)
        return try await Verifier.live(keyCache: keys, clock: clock).verify(
            credential, App(id: ID("verify-token")), realm)
    }
}
