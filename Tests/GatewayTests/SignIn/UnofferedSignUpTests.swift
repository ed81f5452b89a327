import Identity
import Testing

@testable import Support

/// An app of an organisation can exclude sign-up even if its project allows it.
@Suite("Sign-up by a method that the app does not offer", .serialized)
struct UnofferedSignUpTests {
    static let refusal =
        "400 OPERATION_NOT_ALLOWED : The app does not offer this sign-in method."

    @Test("Sign-up by password, by email link and without credentials is rejected; an existing user can sign in")
    func rejected() async throws {
        let unrestricted = try await TestGateway()
        _ = try await unrestricted.post("/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1"])
        let gateway = try await unrestricted.withAppSettings(#"{"signInMethods": ["apple.com"]}"#)
        let password: JSON = ["email": "eve@example.com", "password": "secret1"]
        #expect(try await gateway.post("/v1/accounts:signUp", password).outcome == Self.refusal)
        #expect(try await gateway.post("/v1/accounts:signUp").outcome == Self.refusal)
        let link: JSON = ["email": "eve@example.com", "oobCode": "code"]
        #expect(try await gateway.post("/v1/accounts:signInWithEmailLink", link).outcome == Self.refusal)
        let existing: JSON = ["email": "ada@example.com", "password": "secret1"]
        #expect(try await gateway.post("/v1/accounts:signInWithPassword", existing).outcome == "200")
    }
}
