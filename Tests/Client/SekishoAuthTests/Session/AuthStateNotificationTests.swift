import Foundation
import Testing

@testable import SekishoAuth
@testable import Support

@Suite("The notification of a changed user")
struct AuthStateNotificationTests {
    /// Counts the notifications of an instance.
    private func count(_ auth: Auth) -> ListenerLog {
        let log = ListenerLog()
        // The observer stays until the process ends.
        _ = NotificationCenter.default.addObserver(forName: .AuthStateDidChange, object: auth, queue: nil) { _ in
            dispatchPrecondition(condition: .onQueue(.main))
            log.append("posted")
        }
        return log
    }

    @Test("A sign-in, a new ID token and a sign-out post one notification each, and so does a restored user")
    func changes() async throws {
        let app = try await TestApp()
        let log = count(app.auth)
        #expect(app.auth.currentUser == nil)
        await MainQueue.drain()
        #expect(log.lines == [])
        let user = try await app.auth.signInAnonymously().user
        await MainQueue.drain()
        #expect(log.removeAll().count == 1)
        try await user.reload()
        await MainQueue.drain()
        #expect(log.lines == [], "the same ID token")
        app.clock.advance(by: 1)
        _ = try await user.getIDToken(forcingRefresh: true)
        await MainQueue.drain()
        #expect(log.removeAll().count == 1)
        // The user is restored after the observer is added.
        app.store.setFailure(.locked)
        let restarted = try app.authOfNewProcess()
        let restartedLog = count(restarted)
        app.store.setFailure(nil)
        #expect(restarted.currentUser?.uid == user.uid)
        try app.auth.signOut()
        await MainQueue.drain()
        #expect(log.lines.count == 1)
        #expect(restartedLog.lines.count == 1)
    }

    @Test("The notification has the names of FirebaseAuth")
    func names() {
        #expect(Auth.authStateDidChangeNotification.rawValue == "FIRAuthStateDidChangeNotification")
        #expect(Notification.Name.AuthStateDidChange == Auth.authStateDidChangeNotification)
    }
}
