import Foundation
import SekishoAuth
import Testing

@testable import DevMode
@testable import Support

@Suite("Descriptions for logs")
struct DescriptionTests {
    /// Returns what `print`, `dump` and a debugger show.
    private func descriptions(of value: Any) -> String {
        var text = "\(value) " + String(reflecting: value) + " "
        dump(value, to: &text)
        return text
    }

    @Test("The descriptions of a sign-in contain no email address and no token")
    func signIn() async throws {
        let app = try await TestApp()
        let appleCredential = try app.gateway.appleCredential()
        let result = try await app.auth.signIn(with: appleCredential.oauthCredential())
        let credential = try #require(result.credential)
        let tokenResult = try await result.user.getIDTokenResult()
        let refreshToken = try #require(result.user.refreshToken)
        let text = descriptions(of: [result, result.user, credential, tokenResult, app.auth] as [Any])
        for secret in [appleCredential.idToken, tokenResult.token, refreshToken, "ada.lovelace@example.com"] {
            #expect(!text.contains(secret))
        }
        #expect(text.contains(result.user.uid))
    }

    @Test("The description of an action link contains no action code")
    func link() throws {
        let link = try #require(ActionCodeURL(link: "https://auth.example.com/?mode=signIn&oobCode=secret"))
        #expect(!descriptions(of: link).contains("secret"))
    }

    @Test("The descriptions of a request and a response contain no query, no header value and no body")
    func messages() throws {
        let url = try #require(URL(string: "https://auth.example.com/v1/token?key=secret"))
        let body = Data("secret".utf8)
        let request = TransportRequest(
            method: "POST", url: url, headers: ["Authorization": "secret"], body: body, timeout: 1)
        #expect(!descriptions(of: request).contains("secret"))
        #expect(
            !descriptions(of: TransportResponse(status: 200, headers: ["X": "secret"], body: body)).contains("secret"))
    }
}
