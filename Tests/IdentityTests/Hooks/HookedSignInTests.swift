import Providers
import Testing

@testable import Identity

@Suite("Questions of one request to blocking functions")
struct HookedSignInTests {
    private static func realm(_ events: [BlockingFunctions.Event]) -> Realm {
        var project = Project(
            id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: ["localhost"], supporting: .live)
        for event in events {
            project.blockingFunctions.triggers[event] = CallbackURL(stored: "https://hooks.example/")
        }
        return Realm(project, policy: Policy(.sekisho))
    }

    @Test(
        "A project without functions for sign-ins asks nothing, and prepares no question",
        arguments: [[], [.beforeSendEmail, .beforeSendSms]] as [[BlockingFunctions.Event]])
    func none(events: [BlockingFunctions.Event]) {
        var isPrepared = false
        func signIn() -> HookSignIn {
            isPrepared = true
            return HookSignIn(method: "password")
        }
        #expect(HookedSignIn(in: Self.realm(events), signIn()) == nil)
        #expect(!isPrepared)
    }

    @Test("A new account has the same ID and creation time in every attempt")
    func newAccount() throws {
        let asked = try #require(HookedSignIn(in: Self.realm([.beforeCreate]), HookSignIn(method: "password")))
        let call = try #require(
            HookCall(asked) { id, now in Account(id: id, createdAt: now, validSince: now) })
        let first = call.account(ID("a"), isNew: true, at: Instant(seconds: 1))
        #expect(call.account(ID("b"), isNew: true, at: Instant(seconds: 2)) == first)
        #expect(first.id == ID("a"))
    }

    @Test("The same question gets the same answer, and a function is called at most twice")
    func calls() async throws {
        let asked = try #require(HookedSignIn(in: Self.realm([.beforeSignIn]), HookSignIn(method: "password")))
        var calls = 0
        for digest: [UInt8] in [[1], [1], [2], [1], [2]] {
            let reply = try await asked.reply(of: .beforeSignIn, isNew: false, digest: digest) {
                calls += 1
                var reply = HookReply()
                reply.displayName = .set("\(digest)")
                return reply
            }
            #expect(reply.displayName == .set("\(digest)"))
        }
        #expect(calls == 2)
        await #expect(throws: HookUnavailable.self) {
            try await asked.reply(of: .beforeSignIn, isNew: false, digest: [3]) { HookReply() }
        }
        _ = try await asked.reply(of: .beforeCreate, isNew: true, digest: [3]) { HookReply() }
    }
}
