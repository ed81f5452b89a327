import Foundation
import SekishoAuth
import Testing

@testable import Support

@Suite("Token age and proactive refresh")
struct ClockTests {
    // ID tokens are valid for 3600 seconds and are refreshed 300 seconds before they expire: after 3300 seconds.

    // A wrong device clock differs by 7200 seconds, which is more than the lifetime of an ID token.

    @Test("The token age does not depend on the device's clock", arguments: [-7200, 7200] as [TimeInterval])
    func wrongClock(error: TimeInterval) async throws {
        let app = try await TestApp()
        app.clock.wallClockError = error
        let user = try await app.auth.signInAnonymously().user
        #expect(try await refreshesSentByGetIDToken(app, user) == 0)
        #expect(try await refreshesSentByGetIDToken(app, #require(try app.authOfNewProcess().currentUser)) == 0)
        app.clock.advance(by: 3400)
        #expect(try await refreshesSentByGetIDToken(app, #require(try app.authOfNewProcess().currentUser)) == 1)
    }

    @Test(
        "The token age does not change when the user sets the clock while the app runs",
        arguments: [-7200, 7200] as [TimeInterval])
    func clockIsSet(error: TimeInterval) async throws {
        let app = try await TestApp()
        let user = try await app.auth.signInAnonymously().user
        app.clock.wallClockError = error
        #expect(try await refreshesSentByGetIDToken(app, user) == 0)
        app.clock.advance(by: 3400)
        #expect(try await refreshesSentByGetIDToken(app, user) == 1)
    }

    @Test("After a restart with a clock that was set back, the token's age is unknown, so the token is refreshed")
    func clockIsSetBack() async throws {
        let app = try await TestApp()
        _ = try await app.auth.signInAnonymously()
        app.clock.wallClockError = -7200
        #expect(try await refreshesSentByGetIDToken(app, #require(try app.authOfNewProcess().currentUser)) == 1)
    }

    /// Returns how many refreshes `getIDToken` sends.
    private func refreshesSentByGetIDToken(_ app: TestApp, _ user: User) async throws -> Int {
        try await app.transport.operations { try await user.getIDToken() }.operations.count { $0 == "token" }
    }

    @Test("Tokens are refreshed proactively before they expire")
    func proactive() async throws {
        let app = try await TestApp { $0.refreshesProactively = true }
        let user = try await app.auth.signInAnonymously().user
        for refreshes in 1...3 {
            // The proactive refresh waits for its time.
            try await eventually { app.clock.sleeperCount == 1 }
            app.clock.advance(by: 3301)
            try await eventually { app.transport.operations.count { $0 == "token" } == refreshes }
        }
        try await eventually { app.clock.sleeperCount == 1 }
        #expect(app.auth.currentUser === user)
        try app.auth.signOut()
        try await eventually { app.clock.sleeperCount == 0 }
    }

    @Test("A failed proactive refresh is retried after 60 seconds; the delay doubles up to 960 seconds")
    func proactiveBackoff() async throws {
        let app = try await TestApp { $0.refreshesProactively = true }
        let user = try await app.auth.signInAnonymously().user
        app.transport.injectAlways(.dropRequest)
        try await eventually { app.clock.sleeperCount == 1 }
        app.clock.advance(by: 3301)
        for delay in [60, 120, 240, 480, 960, 960] as [TimeInterval] {
            try await eventually { app.clock.sleeperCount == 1 && app.clock.sleeps.last == delay }
            app.clock.advance(by: delay)
        }
        try await eventually { app.clock.sleeperCount == 1 }
        app.transport.injectAlways(nil)
        app.clock.advance(by: 960)
        try await eventually { app.clock.sleeperCount == 1 && (app.clock.sleeps.last ?? 0) > 3000 }
        #expect(app.auth.currentUser === user)
    }
}
