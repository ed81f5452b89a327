import Foundation
import SekishoSample

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Replaces the dialogs of Apple and Google: requests their results from the simulators of `sekisho dev`.
struct ProviderSimulator: Sendable {
    private struct Request: Encodable {
        struct Person: Encodable {
            let email: String
            let emailVerified: Bool
            let givenName = "Ada"
            let familyName = "Lovelace"
        }

        let providerId: String
        let person: Person
        let nonce: String?
    }

    private struct Response: Decodable {
        let idToken: String
        let authorizationCode: String
        let user: String?
    }

    private struct AppleUser: Decodable {
        struct Name: Decodable {
            let firstName: String?
            let lastName: String?
        }

        let name: Name?
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let server: String

    /// Signs a person in at a simulated provider.
    ///
    /// - Parameters:
    ///   - email: the email address of the person.
    ///   - isVerified: whether the provider has verified the email address.
    ///   - providerID: the provider ID.
    ///   - nonce: the nonce in the request to the provider.
    /// - Throws: ``Failure`` with the gateway's response if its status is not 200.
    func authorize(
        _ email: String, isVerified: Bool, at providerID: String, nonce: String?
    ) async throws -> ProviderAuthorization {
        guard let url = URL(string: server + "/emulator/v1/projects/demo/simulatedSignIns") else {
            throw Failure(description: "the server's URL is not valid: \(server)")
        }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(
            Request(
                providerId: providerID, person: Request.Person(email: email, emailVerified: isVerified),
                nonce: nonce))
        let (body, head) = try await URLSession.shared.data(for: request)
        let status = (head as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else {
            let text = String(decoding: body, as: UTF8.self)
            throw Failure(description: "the gateway responded with status \(status): \(text)")
        }
        let response = try JSONDecoder().decode(Response.self, from: body)
        let user = try response.user.map { try JSONDecoder().decode(AppleUser.self, from: Data($0.utf8)) }
        return ProviderAuthorization(
            providerID: providerID, idToken: response.idToken, fullName: user?.name.map { Self.name($0) },
            authorizationCode: response.authorizationCode)
    }

    private static func name(_ name: AppleUser.Name) -> PersonNameComponents {
        var components = PersonNameComponents()
        components.givenName = name.firstName
        components.familyName = name.lastName
        return components
    }
}
