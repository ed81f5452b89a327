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

    @Test("While the store is locked, no listener is called; the user is restored when the store is unlocked")
    func locked() async throws {
        let (app, uid) = try await appWithStoredSession()
        app.store.setFailure(.locked)
        let auth = try app.authOfNewProcess()
        let log = ListenerLog(auth)
        #expect(auth.isRestoring)
        #expect(auth.currentUser == nil)
        await MainQueue.drain()
        #expect(log.lines == [])
        app.store.setFailure(nil)
        #expect(auth.currentUser?.uid == uid)
        #expect(!auth.isRestoring)
        await MainQueue.drain()
        #expect(log.lines == ["signed in", "token"])
    }

    @Test("The user is restored when the device is unlocked")
    func unlocked() async throws {
        let (app, uid) = try await appWithStoredSession()
        app.store.setFailure(.locked)
        let auth = try app.authOfNewProcess()
        var users = auth.authStateChanges.makeAsyncIterator()
        app.store.setFailure(nil)
        NotificationCenter.default.post(
            name: Notification.Name("UIApplicationProtectedDataDidBecomeAvailable"), object: nil)
        #expect(await users.next()??.uid == uid)
    }

    @Test("If the store fails, it keeps its item and listeners see no user; when it works again, the user is restored")
    func failed() async throws {
        let (app, uid) = try await appWithStoredSession()
        app.store.setFailure(.failed("errSecMissingEntitlement"))
        let auth = try app.authOfNewProcess()
        let log = ListenerLog(auth)
        #expect(auth.currentUser == nil)
        #expect(!auth.isRestoring)
        await MainQueue.drain()
        #expect(log.removeAll() == ["signed out", "no token"])
        #expect(!app.store.isEmpty)
        app.store.setFailure(nil)
        #expect(auth.currentUser?.uid == uid)
        await MainQueue.drain()
        #expect(log.lines == ["signed in", "token"])
    }

    struct ChangedItem: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Whether the user is restored from the item.
        let isReadable: Bool
        /// Changes the JSON of an item that the library has stored.
        let change: @Sendable (String) -> String
    }

    static let items = [
        ChangedItem(testDescription: "an unchanged item", isReadable: true) { $0 },
        ChangedItem(testDescription: "an item with an additional member", isReadable: true) {
            $0.replacingOccurrences(of: #""format":1"#, with: #""format":1,"added":{"x":[1]}"#)
        },
        ChangedItem(testDescription: "an empty item", isReadable: false) { _ in "" },
        ChangedItem(testDescription: "a truncated item", isReadable: false) { String($0.dropLast(10)) },
        ChangedItem(testDescription: "an item of another API key", isReadable: false) {
            // The member `owner` has the app, gateway, API key and tenant, one per line.
            $0.replacingOccurrences(of: #"\n\#(TestGateway.apiKey)\n"#, with: #"\nanother key\n"#)
        },
    ]

    @Test(
        "An item with an additional member is read; damaged items and the item of another API key are ignored",
        arguments: items)
    func item(row: ChangedItem) async throws {
        let (app, uid) = try await appWithStoredSession()
        let text = String(decoding: try #require(app.store.item), as: UTF8.self)
        app.store.item = Data(row.change(text).utf8)
        let auth = try app.authOfNewProcess()
        #expect(auth.currentUser?.uid == (row.isReadable ? uid : nil))
        if !row.isReadable {
            // The item does not prevent the next sign-in.
            let user = try await auth.signInAnonymously().user
            #expect(try app.authOfNewProcess().currentUser?.uid == user.uid)
        }
    }

    static let otherFormats = [
        ChangedItem(testDescription: "an item of a later version with the same members", isReadable: false) {
            $0.replacingOccurrences(of: #""format":1"#, with: #""format":2"#)
        },
        ChangedItem(testDescription: "an item of a later version with other members", isReadable: false) { _ in
            #"{"format":2}"#
        },
        ChangedItem(testDescription: "an item in an unknown format", isReadable: false) {
            $0.replacingOccurrences(of: #""format":1"#, with: #""format":0"#)
        },
    ]

    @Test("An item in another format is kept and restores no user; a sign-in replaces it", arguments: otherFormats)
    func otherFormat(row: ChangedItem) async throws {
        let (app, uid) = try await appWithStoredSession()
        let readable = try #require(app.store.item)
        let item = Data(row.change(String(decoding: readable, as: UTF8.self)).utf8)
        app.store.item = item
        let auth = try app.authOfNewProcess()
        let log = ListenerLog(auth)
        #expect(auth.currentUser == nil)
        #expect(!auth.isRestoring)
        await MainQueue.drain()
        #expect(log.lines == ["signed out", "no token"])
        #expect(app.store.item == item)
        app.store.item = readable
        #expect(auth.currentUser?.uid == uid)
        app.store.item = item
        let user = try await app.authOfNewProcess().signInAnonymously().user
        #expect(try app.authOfNewProcess().currentUser?.uid == user.uid)
    }

    @Test("The sessions of different servers, API keys and tenants are separate")
    func keys() async throws {
        let (app, _) = try await appWithStoredSession()
        // `TestApp` calls `useEmulator`; without this call, the instance uses the server of its options.
        let authAtOtherServer = Auth(options: try #require(app.auth.app).options)
        #expect(authAtOtherServer.currentUser == nil)
        #expect(try app.authOfNewProcess { $0.apiKey = "another" }.currentUser == nil)
        #expect(try app.authOfNewProcess { $0.tenantID = "tenant" }.currentUser == nil)
        #expect(try app.authOfNewProcess().currentUser != nil)
    }

    @Test("Listeners that are added before and after the restore are each called once, with the user")
    func listeners() async throws {
        let (app, uid) = try await appWithStoredSession()
        app.store.setFailure(.locked)
        let auth = try app.authOfNewProcess()
        let before = ListenerLog(auth)
        app.store.setFailure(nil)
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
    private final class ListeningController: @unchecked Sendable {
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
        nonisolated(unsafe) let handle = { [controller = ListeningController(app.auth)] in
            app.auth.addStateDidChangeListener { _, _ in withExtendedLifetime(controller) {} }
        }()
        await MainQueue.drain()
        let log = ListenerLog()
        DispatchQueue.global().async {
            // This call would never return if the library released the listener while it holds its lock.
            app.auth.removeStateDidChangeListener(handle)
            log.append("removed")
        }
        try await eventually { log.lines == ["removed"] }
    }

    @Test("A sequence ends when its task is cancelled, even while the store is locked")
    func cancelledSequence() async throws {
        let (app, _) = try await appWithStoredSession()
        app.store.setFailure(.locked)
        let auth = try app.authOfNewProcess()
        let task = Task {
            for await _ in auth.authStateChanges { Issue.record("an element while restoring") }
            return "ended"
        }
        await MainQueue.drain()
        task.cancel()
        #expect(await task.value == "ended")
    }

    @Test("A sequence begins with the current user, and then skips to the newest user")
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
