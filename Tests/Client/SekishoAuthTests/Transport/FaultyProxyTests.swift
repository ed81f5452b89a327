import Foundation
import Identity
import SekishoAuth
import Testing

@testable import Support

@Suite("An app behind a proxy that drops, truncates, corrupts, delays and replaces responses")
struct FaultyProxyTests {
    @Test(
        "Faults do not sign the user out, and a refresh succeeds after they end",
        arguments: 1...4 as ClosedRange<UInt64>)
    func refreshes(seed: UInt64) async throws {
        // The profile `sekisho` rotates refresh tokens.
        let gateway = try await TestGateway(.sekisho, transport: .socket)
        let proxy = try FaultyProxy(before: Int(try #require(gateway.server?.port)), seed: seed)
        let app = try await TestApp(gateway) { $0.transport = URLSessionTransport() }
        app.auth.useEmulator(withHost: "127.0.0.1", port: proxy.port)
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "correct horse battery").user
        proxy.hasFaults = true
        for _ in 0..<25 {
            app.clock.advance(by: 3600)
            for _ in 0..<3 {
                do {
                    _ = try await user.getIDToken(forcingRefresh: true)
                    try await user.reload()
                } catch let error as AuthErrorCode {
                    // Errors that must not sign the user out.
                    let isHarmless = [.networkError, .internalError, .invalidUserToken].contains(error)
                    #expect(isHarmless, "\(error)")
                }
            }
            #expect(app.auth.currentUser === user)
        }
        proxy.hasFaults = false
        _ = try await user.getIDToken(forcingRefresh: true)
        try await user.reload()
        let restored = try app.authOfNewProcess { $0.transport = URLSessionTransport() }
        restored.useEmulator(withHost: "127.0.0.1", port: proxy.port)
        #expect(restored.currentUser?.uid == user.uid)
    }
}
