internal import Encoding
public import HTTP
public import Identity
internal import JSON

extension AppleMigrationEndpoint {
    /// Sends the requests to Apple over the network.
    public static func http(
        _ client: HTTP.Client, at endpoints: AppleEndpoints, clock: WallClock
    ) -> AppleMigrationEndpoint {
        let requests = AppleRequests(client: client, endpoints: endpoints, clock: clock)
        return AppleMigrationEndpoint { credentials in
            let form = [("grant_type", "client_credentials"), ("scope", "user.migration")]
            let (response, body) = try await requests.post(form, to: endpoints.tokenURL, as: credentials)
            return AppleMigrationResult(response, body) { (found: TokenResponse) in
                found.accessToken.map { Secret($0) }
            }
        } transferSubject: { subject, target, token, credentials in
            let form = [("sub", subject), ("target", target)]
            let (response, body) = try await requests.post(
                form, to: endpoints.migrationURL, as: credentials, bearer: token)
            return AppleMigrationResult(response, body) { (found: TransferSubjectResponse) in
                found.transferSub.flatMap { OIDCVerifier.isValidSubject($0) ? $0 : nil }
            }
        } transferredUser: { transferSubject, token, credentials in
            let form = [("transfer_sub", transferSubject)]
            let (response, body) = try await requests.post(
                form, to: endpoints.migrationURL, as: credentials, bearer: token)
            return AppleMigrationResult(response, body) { (found: JSONObject) in
                TransferredUser(IdentityTokenClaims(found))
            }
        }
    }

    private struct TokenResponse: Decodable {
        let accessToken: String?

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
        }
    }

    private struct TransferSubjectResponse: Decodable {
        let transferSub: String?

        enum CodingKeys: String, CodingKey {
            case transferSub = "transfer_sub"
        }
    }
}

extension AppleMigrationResult {
    /// - Parameter read: returns `nil` if a required member is missing or invalid.
    fileprivate init<Body: Decodable>(_ response: AppleResponse, _ body: [UInt8], read: (Body) -> Value?) {
        guard response == .accepted else {
            self = .failed(response)
            return
        }
        do {
            self =
                read(try StrictJSON.decode(Body.self, from: body)).map { .found($0) }
                ?? .failed(.unavailable(reason: "a member of the response is missing or invalid"))
        } catch {
            self = .failed(.unavailable(reason: "the response is not valid"))
        }
    }
}

extension TransferredUser {
    fileprivate init?(_ claims: IdentityTokenClaims) {
        guard let subject = claims.text("sub"), OIDCVerifier.isValidSubject(subject) else { return nil }
        let email = claims.text("email").flatMap(EmailAddress.init)
        self.init(subject: subject, email: email, isPrivateEmail: Apple.isPrivate(email, claims))
    }
}
