import Foundation
import Testing

@testable import SekishoAuth
@testable import Support

@Suite("Restoring a session")
struct RestoreTests {
    /// Returns an app whose store has the session of an anonymous user, and the ID of the user.
    private func appWithStoredSession() async throws -> (app: TestApp, uid: String) {
        let app = try await TestApp()
        return (app, try await app.auth.signInAnonymously().user.uid)
    }

    @Test("While the store is locked, no listener is called; the user is restored after it is unlocked")
    func locked() async throws {
        let (app, uid) = try await appWithStoredSession()
        app.store.fail(.locked)
        let auth = try app.restarted()
        let log = ListenerLog(auth)
        #expect(auth.isRestoring)
        #expect(auth.currentUser == nil)
        await MainQueue.drain()
        #expect(log.lines == [])
        app.store.fail(nil)
        #expect(auth.currentUser?.uid == uid)
        #expect(!auth.isRestoring)
        await MainQueue.drain()
        #expect(log.lines == ["signed in", "token"])
    }

    @Test("The user is restored when the device is unlocked")
    func unlocked() async throws {
        let (app, uid) = try await appWithStoredSession()
        app.store.fail(.locked)
        let auth = try app.restarted()
        var users = auth.authStateChanges.makeAsyncIterator()
        app.store.fail(nil)
        NotificationCenter.default.post(
            name: Notification.Name("UIApplicationProtectedDataDidBecomeAvailable"), object: nil)
        #expect(await users.next()??.uid == uid)
    }

    @Test("If the store fails, its item is kept, listeners see no user, and the user is restored later")
    func failed() async throws {
        let (app, uid) = try await appWithStoredSession()
        app.store.fail(.failed("errSecMissingEntitlement"))
        let auth = try app.restarted()
        let log = ListenerLog(auth)
        #expect(auth.currentUser == nil)
        #expect(!auth.isRestoring)
        await MainQueue.drain()
        #expect(log.removeAll() == ["signed out", "no token"])
        #expect(!app.store.isEmpty)
        app.store.fail(nil)
        #expect(auth.currentUser?.uid == uid)
        await MainQueue.drain()
        #expect(log.lines == ["signed in", "token"])
    }

    struct Item: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let isReadable: Bool
        let change: @Sendable (String) -> String
    }

    static let items = [
        Item(testDescription: "as it was written", isReadable: true) { $0 },
        Item(testDescription: "with members of a later version", isReadable: true) {
            $0.replacingOccurrences(of: #""format":1"#, with: #""format":1,"added":{"x":[1]}"#)
        },
        Item(testDescription: "empty", isReadable: false) { _ in "" },
        Item(testDescription: "truncated", isReadable: false) { String($0.dropLast(10)) },
        Item(testDescription: "of another owner", isReadable: false) {
            $0.replacingOccurrences(of: #"\n\#(TestGateway.apiKey)\n"#, with: #"\nanother key\n"#)
        },
    ]

    @Test(
        "An item with members of a later version is read; damaged items and items of another owner are ignored",
        arguments: items)
    func item(row: Item) async throws {
        let (app, uid) = try await appWithStoredSession()
        let text = String(decoding: try #require(app.store.item), as: UTF8.self)
        app.store.item = Data(row.change(text).utf8)
        let auth = try app.restarted()
        #expect(auth.currentUser?.uid == (row.isReadable ? uid : nil))
        if !row.isReadable {
            // The item does not prevent the next sign-in.
            let user = try await auth.signInAnonymously().user
            #expect(try app.restarted().currentUser?.uid == user.uid)
        }
    }

    static let otherFormats = [
        Item(testDescription: "of a later version, with the same members", isReadable: false) {
            $0.replacingOccurrences(of: #""format":1"#, with: #""format":2"#)
        },
        Item(testDescription: "of a later version, with other members", isReadable: false) { _ in #"{"format":2}"# },
        Item(testDescription: "unknown", isReadable: false) {
            $0.replacingOccurrences(of: #""format":1"#, with: #""format":0"#)
        },
    ]

    @Test("An item in another format is kept and restores no user; a sign-in replaces it", arguments: otherFormats)
    func otherFormat(row: Item) async throws {
        let (app, uid) = try await appWithStoredSession()
        let readable = try #require(app.store.item)
        let item = Data(row.change(String(decoding: readable, as: UTF8.self)).utf8)
        app.store.item = item
        let auth = try app.restarted()
        let log = ListenerLog(auth)
        #expect(auth.currentUser == nil)
        #expect(!auth.isRestoring)
        await MainQueue.drain()
        #expect(log.lines == ["signed out", "no token"])
        #expect(app.store.item == item)
        app.store.item = readable
        #expect(auth.currentUser?.uid == uid)
        app.store.item = item
        let user = try await app.restarted().signInAnonymously().user
        #expect(try app.restarted().currentUser?.uid == user.uid)
    }

    @Test("The sessions of different servers, API keys and tenants are separate")
    func keys() async throws {
        let (app, _) = try await appWithStoredSession()
        // `TestApp` calls `useEmulator`; without this call, the instance uses the server of its options.
        let otherServer = Auth(options: try #require(app.auth.app).options)
        #expect(otherServer.currentUser == nil)
        #expect(try app.restarted { $0.apiKey = "another" }.currentUser == nil)
        #expect(try app.restarted { $0.tenantID = "tenant" }.currentUser == nil)
        #expect(try app.restarted().currentUser != nil)
    }

    @Test("A listener that is added before or after the restore is called with the user once")
    func listeners() async throws {
        let (app, uid) = try await appWithStoredSession()
        app.store.fail(.locked)
        let auth = try app.restarted()
        let before = ListenerLog(auth)
        app.store.fail(nil)
        #expect(auth.currentUser?.uid == uid)
        let after = ListenerLog(auth)
        await MainQueue.drain()
        #expect(before.lines == ["signed in", "token"])
        #expect(after.lines == ["signed in", "token"])
    }

    @Test("A listener that is removed is no longer called")
    func removed() async throws {
        let (app, _) = try await appWithStoredSession()
        let log = ListenerLog()
        let handle = app.auth.addStateDidChangeListener { _, _ in log.append("called") }
        await MainQueue.drain()
        app.auth.removeStateDidChangeListener(handle)
        try app.auth.signOut()
        await MainQueue.drain()
        #expect(log.lines == ["called"])
    }

    /// Removes its listener in its deinitializer, as the view controllers in many tutorials do.
    private final class Owner: @unchecked Sendable {
        private let auth: Auth
        private var handle: (any NSObjectProtocol)?

        init(_ auth: Auth) {
            self.auth = auth
            handle = auth.addStateDidChangeListener { _, _ in }
        }

        deinit { if let handle { auth.removeStateDidChangeListener(handle) } }
    }

    @Test("A removed listener can hold the last reference to an object whose deinitializer removes another listener")
    func removedInDeinit() async throws {
        let (app, _) = try await appWithStoredSession()
        nonisolated(unsafe) let handle = { [owner = Owner(app.auth)] in
            app.auth.addStateDidChangeListener { _, _ in withExtendedLifetime(owner) {} }
        }()
        await MainQueue.drain()
        let log = ListenerLog()
        DispatchQueue.global().async {
            app.auth.removeStateDidChangeListener(handle)
            log.append("removed")
        }
        try await eventually { log.lines == ["removed"] }
    }

    @Test("A sequence that is cancelled while the store is locked ends")
    func cancelledSequence() async throws {
        let (app, _) = try await appWithStoredSession()
        app.store.fail(.locked)
        let auth = try app.restarted()
        let task = Task {
            for await _ in auth.authStateChanges { Issue.record("an element while restoring") }
            return "ended"
        }
        await MainQueue.drain()
        task.cancel()
        #expect(await task.value == "ended")
    }

    @Test("A sequence begins with the current user, and then skips to the newest")
    func sequence() async throws {
        let app = try await TestApp()
        var users = app.auth.authStateChanges.makeAsyncIterator()
        #expect(await users.next() == .some(nil))
        let first = try await app.auth.signInAnonymously().user
        try app.auth.signOut()
        let second = try await app.auth.signInAnonymously().user
        #expect(await users.next() == .some(second))
        #expect(first.uid != second.uid)
        var late = app.auth.idTokenChanges.makeAsyncIterator()
        #expect(await late.next() == .some(second))
    }
}
