import Crypto
import Encoding
import Identity
import Testing
import Tokens

@Suite("Challenges of passkeys")
struct PasskeyChallengeTests {
    private static let end = Instant(seconds: 1_800_000_000)
    private static let binding = PasskeyChallenges.Binding(
        realm: ID("demo"), app: ID("app"), rpID: "example.com",
        enrolment: PasskeyChallenges.Enrolment(
            account: ID("ada"), generation: 1, session: ID("session"), userHandle: "handle"))

    private static func challenges(_ current: UInt8, previous: UInt8? = nil) throws -> PasskeyChallenges {
        .signed(
            under: try MasterKeys(
                current: [UInt8](repeating: current, count: 32),
                previous: previous.map { [UInt8](repeating: $0, count: 32) }))
    }

    @Test("A challenge states its kind and its expiry, and its base64 is the same in both alphabets without padding")
    func content() throws {
        let challenges = try Self.challenges(1)
        for kind in [PasskeyChallenges.Kind.signIn, .enrolment, .conditionalEnrolment, .signUp] {
            let issued = challenges.issue(kind, Self.end, Self.binding)
            let content = try #require(challenges.read(Array(issued.text.utf8), Self.binding))
            #expect(content.kind == kind)
            #expect(content.replayKey.expiresAt == Self.end)
            #expect(content.signUpHandle == issued.signUpHandle)
            for (text, length) in [(issued.text, 72), (issued.signUpHandle, 48)] {
                #expect(text.utf8.count == length)
                #expect(Base64.encode(Array(text.utf8)) == Base64URL.encode(Array(text.utf8)))
            }
        }
    }

    static let otherBindings: [PasskeyChallenges.Binding] = [
        PasskeyChallenges.Binding(
            realm: ID("other"), app: ID("app"), rpID: "example.com", enrolment: binding.enrolment),
        PasskeyChallenges.Binding(
            realm: ID("demo"), app: ID("other"), rpID: "example.com", enrolment: binding.enrolment),
        PasskeyChallenges.Binding(
            realm: ID("demo"), app: ID("app"), rpID: "example.net", enrolment: binding.enrolment),
        PasskeyChallenges.Binding(realm: ID("demo"), app: ID("app"), rpID: "example.com"),
        enrolling("eve", 1, "session", "handle"), enrolling("ada", 2, "session", "handle"),
        enrolling("ada", 1, "other", "handle"), enrolling("ada", 1, "session", "other"),
        // The texts one after the other are the same.
        enrolling("ada1", 1, "ession", "handle"),
    ]

    private static func enrolling(
        _ account: String, _ generation: Int64, _ session: String, _ handle: String
    ) -> PasskeyChallenges.Binding {
        PasskeyChallenges.Binding(
            realm: ID("demo"), app: ID("app"), rpID: "example.com",
            enrolment: PasskeyChallenges.Enrolment(
                account: ID(account), generation: generation, session: ID(session), userHandle: handle))
    }

    @Test("A challenge cannot be read with another binding", arguments: otherBindings)
    func otherBinding(other: PasskeyChallenges.Binding) throws {
        let challenges = try Self.challenges(1)
        let issued = challenges.issue(.enrolment, Self.end, Self.binding)
        #expect(challenges.read(Array(issued.text.utf8), other) == nil)
    }

    @Test("A changed challenge, and one of another key, are not read; one of the previous key is")
    func forgery() throws {
        let challenges = try Self.challenges(1)
        let text = Array(challenges.issue(.enrolment, Self.end, Self.binding).text.utf8)
        for index in text.indices {
            var changed = text
            changed[index] = text[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(challenges.read(changed, Self.binding) == nil)
        }
        #expect(challenges.read(text.dropLast(), Self.binding) == nil)
        #expect(try Self.challenges(2).read(text, Self.binding) == nil)
        #expect(try Self.challenges(2, previous: 1).read(text, Self.binding) != nil)
    }

    @Test("An account has one user handle for each active master key")
    func userHandles() throws {
        let handles = try Self.challenges(2, previous: 1).userHandles(ID("ada"), ID("demo"))
        #expect(Set(handles).count == 2)
        #expect(try Self.challenges(1).userHandles(ID("ada"), ID("demo")) == [handles[1]])
        #expect(handles.allSatisfy { $0.utf8.count == 48 })
        #expect(try Self.challenges(2).userHandles(ID("eve"), ID("demo")) != [handles[0]])
        #expect(try Self.challenges(2).userHandles(ID("ada"), ID("demo/tenant")) != [handles[0]])
    }
}

extension PasskeyChallenges {
    fileprivate func read(_ text: ArraySlice<UInt8>, _ binding: Binding) -> Content? { read(Array(text), binding) }
}
