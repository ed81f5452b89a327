import Foundation
import SekishoAuth
import Synchronization
import Testing

@testable import DevMode
@testable import Support

/// An app on a device, and the gateway that it uses.
struct TestApp: Sendable {
    let gateway: TestGateway
    let clock: DeviceClock
    let wire: TestWire
    let store: TestStore
    let auth: Auth

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
        wire = TestWire(self.gateway.clock)
        auth = try Self.auth(self.gateway, clock, wire, store, change)
    }

    /// The instance of another process of the same app on the same device.
    func restarted(change: (inout SekishoOptions) -> Void = { _ in }) throws -> Auth {
        try Self.auth(gateway, clock, wire, store, change)
    }

    private static func auth(
        _ gateway: TestGateway, _ clock: DeviceClock, _ wire: TestWire, _ store: TestStore,
        _ change: (inout SekishoOptions) -> Void
    ) throws -> Auth {
        let port = try #require(gateway.server?.port)
        var options = SekishoOptions(
            url: try #require(URL(string: "https://auth.example.com")), apiKey: TestGateway.apiKey)
        options.bundleIdentifier = SimulatedProviders.appleClient
        options.deviceName = "Ada's phone"
        options.store = store
        options.transport = wire
        options.clock = clock.auth
        options.refreshesProactively = false
        change(&options)
        let auth = Auth(options: options)
        auth.useEmulator(withHost: "127.0.0.1", port: Int(port))
        return auth
    }
}

extension Proof {
    /// What an app makes of the result of a provider's dialog.
    func credential(name: PersonNameComponents? = nil) -> OAuthCredential {
        if provider == "apple.com" {
            return OAuthProvider.appleCredential(
                withIDToken: idToken, rawNonce: rawNonce, fullName: name, authorizationCode: code)
        }
        return OAuthProvider.credential(withProviderID: provider, idToken: idToken, rawNonce: rawNonce)
    }
}

/// What the listeners of an instance heard, in order.
final class Heard: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    /// The lines since the last call.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// Notes a user by ``Auth/addStateDidChangeListener(_:)`` and each token by ``Auth/addIDTokenDidChangeListener(_:)``.
    init(_ auth: Auth) {
        auth.addStateDidChangeListener { [self] _, user in
            dispatchPrecondition(condition: .onQueue(.main))
            note(user == nil ? "signed out" : "signed in")
        }
        auth.addIDTokenDidChangeListener { [self] _, user in
            dispatchPrecondition(condition: .onQueue(.main))
            note(user == nil ? "no token" : "token")
        }
    }

    init() {}
}

/// Waits until a condition holds that another task brings about.
func eventually(_ condition: () async throws -> Bool) async throws {
    for _ in 0..<2000 {
        if try await condition() { return }
        try await Task.sleep(nanoseconds: 5_000_000)
    }
    Issue.record("the condition did not come to hold")
}

/// The error that an operation throws, or `nil`.
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
