import JSON
import Storage
import Support
import Testing

@testable import Identity

@Suite("Codes of the sign-in page, and sessions of browsers, in PostgreSQL")
struct SignInCodeStoreTests {
    private let fixture: StoreFixture
    private let codes: PostgresSignInCodeStore
    private let browsers: PostgresBrowserSessionStore

    init() async throws {
        fixture = try await StoreFixture(email: "ada@example.com")
        codes = PostgresSignInCodeStore(pool: fixture.database.pool)
        browsers = PostgresBrowserSessionStore(pool: fixture.database.pool)
    }

    private var realm: ID<Realm> { fixture.realm }
    private var start: Instant { fixture.start }

    private static func hash(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: 32) }

    private func code(
        _ byte: UInt8 = 1, flow: UInt8 = 2, of session: Session? = nil, endsSession: Bool = false,
        isContinued: Bool = false, link: String? = nil
    ) throws -> NewSignInCode {
        NewSignInCode(
            hash: Self.hash(byte), flowHash: Self.hash(flow), app: ID("web"),
            target: try JSONTarget.target("https://app.example/done"), challenge: Self.hash(3),
            session: session ?? fixture.session, endsSession: endsSession, isNewAccount: true,
            isContinued: isContinued, link: link,
            expiresAt: start + .seconds(60), keptUntil: start + .seconds(3600))
    }

    private func browser(
        _ byte: UInt8, of session: ID<Session>? = nil, replacing replaced: [UInt8]? = nil
    ) -> NewBrowserSession {
        NewBrowserSession(
            secretHash: Self.hash(byte), session: session ?? fixture.session.id, lifetime: .visit, openedAt: start,
            replaced: replaced.map { ($0, realm) })
    }

    private func sessionIsActive(_ session: ID<Session>) async throws -> Bool {
        try await fixture.store.status(of: session, in: realm)?.isActive == true
    }

    @Test("A code finds its account and its session, and opens one session of the app")
    func exchange() async throws {
        try await codes.issue(try code(), nil, at: start, in: realm)
        #expect(try await codes.isFinished(Self.hash(2), in: realm))
        let found = try #require(try await codes.find(Self.hash(1), in: realm))
        #expect(found.app == ID("web"))
        #expect(found.target == "https://app.example/done")
        #expect(found.challenge == Self.hash(3))
        #expect(found.isNewAccount && !found.isUsed && !found.endsSession)
        #expect(found.source?.session == fixture.session)
        #expect(found.source?.account.id == fixture.account.id)
        let session = NewSession.fresh(of: "ada", at: start)
        try await codes.exchange(Self.hash(1), opening: session, ending: nil, in: realm)
        #expect(try await sessionIsActive(session.id))
        #expect(try await sessionIsActive(fixture.session.id))
        #expect(try await codes.find(Self.hash(1), in: realm)?.isUsed == true)
    }

    @Test("A second use opens no session, and ends the session of the first use")
    func reuse() async throws {
        try await codes.issue(try code(), nil, at: start, in: realm)
        let (first, second) = (NewSession.fresh(of: "ada", at: start), NewSession.fresh(of: "ada", at: start))
        try await codes.exchange(Self.hash(1), opening: first, ending: nil, in: realm)
        await #expect(throws: StoreConflict.alreadyUsed) {
            try await codes.exchange(Self.hash(1), opening: second, ending: nil, in: realm)
        }
        #expect(try await fixture.store.status(of: second.id, in: realm) == nil)
        try await codes.endSession(openedWith: Self.hash(1), at: start, in: realm)
        #expect(try await fixture.store.status(of: first.id, in: realm)?.endReason == .tokenReused)
    }

    @Test("A code without a session of the browser ends the session on the page")
    func guest() async throws {
        try await codes.issue(try code(endsSession: true), nil, at: start, in: realm)
        let session = NewSession.fresh(of: "ada", at: start)
        try await codes.exchange(Self.hash(1), opening: session, ending: fixture.session.id, in: realm)
        #expect(try await fixture.store.status(of: fixture.session.id, in: realm)?.endReason == .replaced)
        #expect(try await sessionIsActive(session.id))
    }

    /// Issues a second code of a flow, and returns whether its session is still active.
    private func issueSecond(
        of session: Session, isContinued: Bool = false, link: String? = nil
    ) async throws -> Bool {
        try await codes.issue(try code(), browser(6), at: start, in: realm)
        await #expect(throws: StoreConflict.alreadyUsed) {
            try await codes.issue(
                try code(9, of: session, isContinued: isContinued, link: link), browser(7, of: session.id), at: start,
                in: realm)
        }
        #expect(try await codes.find(Self.hash(9), in: realm) == nil)
        #expect(try await browsers.use(Self.hash(7), at: start, in: realm) == nil)
        #expect(try await codes.find(Self.hash(1), in: realm)?.source?.session == fixture.session)
        return try await sessionIsActive(session.id)
    }

    @Test("A flow has one code: a second one is not stored, and its session ends")
    func oneCode() async throws {
        let second = NewSession.fresh(of: "ada", at: start)
        try await fixture.store.open(second, rehashed: nil, in: realm)
        #expect(try await !issueSecond(of: second.session))
    }

    @Test("A form that is sent twice, with the session of the flow's code, ends no session")
    func sameSession() async throws {
        #expect(try await issueSecond(of: fixture.session))
        #expect(try await browsers.use(Self.hash(6), at: start, in: realm) != nil)
    }

    @Test("A second code ends no session that existed before the flow", arguments: [nil, "sealed"])
    func earlierSession(link: String?) async throws {
        let earlier = NewSession.fresh(of: "ada", at: start)
        try await fixture.store.open(earlier, rehashed: nil, in: realm)
        #expect(try await issueSecond(of: earlier.session, isContinued: link == nil, link: link))
    }

    @Test("After the session on the page has ended, a code finds no session")
    func endedSource() async throws {
        try await codes.issue(try code(), browser(7), at: start, in: realm)
        try await browsers.end(Self.hash(7), events: [], recording: .system, at: start, in: realm)
        #expect(try await codes.find(Self.hash(1), in: realm)?.source == nil)
    }

    @Test("The session of a browser ends when it is idle, and use extends it")
    func idle() async throws {
        try await codes.issue(try code(), browser(7), at: start, in: realm)
        let early = start + .seconds(3500)
        #expect(try await browsers.use(Self.hash(7), at: early, in: realm)?.found.session == fixture.session)
        #expect(try await browsers.use(Self.hash(7), at: early + .seconds(3500), in: realm) != nil)
        #expect(try await browsers.use(Self.hash(7), at: early + .seconds(2 * 3600), in: realm) == nil)
        #expect(try await browsers.use(Self.hash(8), at: start, in: realm) == nil)
        #expect(try await browsers.use(Self.hash(7), at: start, in: ID("other")) == nil)
    }

    @Test("The session of a browser ends after its whole time, however often it is used")
    func absolute() async throws {
        try await codes.issue(try code(), browser(7), at: start, in: realm)
        for visit in 1...14 {
            let now = start + .seconds(Int64(visit) * 3000)
            #expect(try await browsers.use(Self.hash(7), at: now, in: realm) != nil)
        }
        #expect(try await browsers.use(Self.hash(7), at: start + .seconds(12 * 3600), in: realm) == nil)
    }

    @Test("The janitor ends the sessions of browsers that have expired")
    func janitor() async throws {
        try await codes.issue(try code(), browser(7), at: start, in: realm)
        let janitor = Janitor(pool: fixture.database.pool)
        #expect(try await janitor.remove(.browserSession, at: start + .seconds(3600)) == 0)
        #expect(try await janitor.remove(.browserSession, at: start + .seconds(4000)) == 1)
        #expect(try await fixture.store.status(of: fixture.session.id, in: realm)?.endReason == .expired)
        #expect(try await janitor.remove(.signInCode, at: start + .seconds(3900)) == 0)
        #expect(try await janitor.remove(.signInCode, at: start + .seconds(3901)) == 1)
    }

    @Test("Another sign-in in the same browser replaces the session")
    func replacement() async throws {
        try await codes.issue(try code(), browser(7), at: start, in: realm)
        let other = NewSession.fresh(of: "ada", at: start)
        try await fixture.store.open(other, rehashed: nil, in: realm)
        try await codes.issue(
            try code(11, flow: 12), browser(8, of: other.id, replacing: Self.hash(7)), at: start, in: realm)
        #expect(try await browsers.use(Self.hash(7), at: start, in: realm) == nil)
        #expect(try await browsers.use(Self.hash(8), at: start, in: realm)?.found.session?.id == other.id)
        #expect(try await fixture.store.status(of: fixture.session.id, in: realm)?.endReason == .replaced)
    }
}

/// A target that is not checked.
private enum JSONTarget {
    static func target(_ url: String) throws -> AuthorizationTarget {
        try StrictJSON.decode(AuthorizationTarget.self, from: Array(#""\#(url)""#.utf8))
    }
}
