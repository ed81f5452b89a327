import Foundation
import SekishoAuth
import Testing

@testable import Support

@Suite("The age of tokens")
struct ClockTests {
    @Test("does not depend on the device's clock", arguments: [-7200, 7200] as [TimeInterval])
    func wrongClock(error: TimeInterval) async throws {
        let app = try await TestApp()
        app.clock.error = error
        let user = try await app.auth.signInAnonymously().user
        #expect(try await refreshes(app, user) == 0)
        #expect(try await refreshes(app, #require(try app.restarted().currentUser)) == 0)
        app.clock.advance(by: 3400)
        #expect(try await refreshes(app, #require(try app.restarted().currentUser)) == 1)
    }

    @Test(
        "does not change when the user sets the clock while the app runs", arguments: [-7200, 7200] as [TimeInterval])
    func clockIsSet(error: TimeInterval) async throws {
        let app = try await TestApp()
        let user = try await app.auth.signInAnonymously().user
        app.clock.error = error
        #expect(try await refreshes(app, user) == 0)
        app.clock.advance(by: 3400)
        #expect(try await refreshes(app, user) == 1)
    }

    @Test("is unknown after a restart if the clock was set back, so that the token is renewed")
    func clockIsSetBack() async throws {
        let app = try await TestApp()
        _ = try await app.auth.signInAnonymously()
        app.clock.error = -7200
        #expect(try await refreshes(app, #require(try app.restarted().currentUser)) == 1)
    }

    private func refreshes(_ app: TestApp, _ user: User) async throws -> Int {
        try await app.wire.operations { try await user.getIDToken() }.operations.count { $0 == "token" }
    }

    @Test("is watched: tokens are renewed before they expire, without a call")
    func proactive() async throws {
        let app = try await TestApp { $0.refreshesProactively = true }
        let user = try await app.auth.signInAnonymously().user
        for refreshes in 1...3 {
            try await eventually { app.clock.sleeperCount == 1 }
            app.clock.advance(by: 3301)
            try await eventually { app.wire.operations.count { $0 == "token" } == refreshes }
        }
        try await eventually { app.clock.sleeperCount == 1 }
        #expect(app.auth.currentUser === user)
        try app.auth.signOut()
        try await eventually { app.clock.sleeperCount == 0 }
    }

    @Test("is watched: failed attempts are repeated after a minute, then two")
    func proactiveBackoff() async throws {
        let app = try await TestApp { $0.refreshesProactively = true }
        let user = try await app.auth.signInAnonymously().user
        app.wire.always(.losesRequest)
        try await eventually { app.clock.sleeperCount == 1 }
        app.clock.advance(by: 3301)
        for delay in [60, 120, 240, 480, 960, 960] as [TimeInterval] {
            try await eventually { app.clock.sleeperCount == 1 && app.clock.sleeps.last == delay }
            app.clock.advance(by: delay)
        }
        try await eventually { app.clock.sleeperCount == 1 }
        app.wire.always(nil)
        app.clock.advance(by: 960)
        try await eventually { app.clock.sleeperCount == 1 && (app.clock.sleeps.last ?? 0) > 3000 }
        #expect(app.auth.currentUser === user)
    }
}
