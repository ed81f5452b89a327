import Foundation
import SekishoAuth
import Synchronization
import Testing

@testable import DevMode
@testable import Support

/// An app on a device, with the gateway that it uses.
struct TestApp: Sendable {
    let gateway: TestGateway
    let clock: DeviceClock
    let transport: TestTransport
    let store: TestStore
    let auth: Auth

    /// Creates an app that runs against `gateway` (default: a new gateway on a socket).
    ///
    /// - Parameter change: changes the options of the library.
    init(
        _ gateway: TestGateway? = nil, store: TestStore = TestStore(), change: (inout SekishoOptions) -> Void = { _ in }
    ) async throws {
        if let gateway {
            self.gateway = gateway
        } else {
            self.gateway = try await TestGateway(transport: .socket)
        }
        self.store = store
        clock = DeviceClock(self.gateway.clock)
        transport = TestTransport(self.gateway.clock)
        auth = try Self.auth(self.gateway, clock, transport, store, change)
    }

    /// Returns the instance of ``Auth`` in a new process of the app, for example after a restart. The gateway, the
    /// clock, the transport and the store are the same.
    func authOfNewProcess(change: (inout SekishoOptions) -> Void = { _ in }) throws -> Auth {
        try Self.auth(gateway, clock, transport, store, change)
    }

    private static func auth(
        _ gateway: TestGateway, _ clock: DeviceClock, _ transport: TestTransport, _ store: TestStore,
        _ change: (inout SekishoOptions) -> Void
    ) throws -> Auth {
        let port = try #require(gateway.server?.port)
        var options = SekishoOptions(
            url: try #require(URL(string: "https://auth.example.com")), apiKey: TestGateway.apiKey)
        options.bundleIdentifier = SimulatedProviders.appleClientID
        options.deviceName = "Ada's phone"
        options.store = store
        options.transport = transport
        options.clock = clock.authClock
        options.refreshesProactively = false
        change(&options)
        let auth = Auth(options: options)
        auth.useEmulator(withHost: "127.0.0.1", port: Int(port))
        return auth
    }
}

extension ProviderCredential {
    /// The credential that an app creates from the result of a provider's dialog.
    func oauthCredential(name: PersonNameComponents? = nil) -> OAuthCredential {
        if provider == "apple.com" {
            return OAuthProvider.appleCredential(
                withIDToken: idToken, rawNonce: rawNonce, fullName: name, authorizationCode: code)
        }
        return OAuthProvider.credential(withProviderID: provider, idToken: idToken, rawNonce: rawNonce)
    }
}

/// Records the calls of an instance's listeners, in order.
final class ListenerLog: Sendable {
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    /// Removes and returns all lines.
    func removeAll() -> [String] {
        state.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    func append(_ line: String) { state.withLock { $0.append(line) } }

    /// Adds a listener of each kind. They record "signed in" or "signed out", and "token" or "no token".
    init(_ auth: Auth) {
        auth.addStateDidChangeListener { [self] _, user in
            dispatchPrecondition(condition: .onQueue(.main))
            append(user == nil ? "signed out" : "signed in")
        }
        auth.addIDTokenDidChangeListener { [self] _, user in
            dispatchPrecondition(condition: .onQueue(.main))
            append(user == nil ? "no token" : "token")
        }
    }

    /// Creates a log to which the test appends.
    init() {}
}

/// Waits until a condition is true. Records an issue after about 10 seconds.
func eventually(_ condition: () async throws -> Bool) async throws {
    for _ in 0..<2000 {
        if try await condition() { return }
        try await Task.sleep(nanoseconds: 5_000_000)
    }
    Issue.record("the condition did not become true")
}

/// Returns the error that an operation throws, or `nil`. Records an issue for any other error than ``AuthErrorCode``.
func failure<Result>(of operation: () async throws -> Result) async -> AuthErrorCode? {
    do {
        _ = try await operation()
        return nil
    } catch {
        let failure = error as? AuthErrorCode
        if failure == nil { Issue.record("\(error) is not an AuthErrorCode") }
        return failure
    }
}
