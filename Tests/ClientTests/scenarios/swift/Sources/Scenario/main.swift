// The life cycle of an account, through the generated Swift client.
//
// The Python, TypeScript and Swift clients run the same scenario. The program prints the name of each step that
// succeeded.

import Foundation
import SekishoClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct UnexpectedResponse: Error {}

struct MissingSetting: Error { let name: String }

func done(_ step: String) { print(step) }

func check(_ condition: Bool) throws { if !condition { throw UnexpectedResponse() } }

/// The value of an environment variable that must be set.
func setting(_ name: String) throws -> String {
    guard let value = ProcessInfo.processInfo.environment[name] else { throw MissingSetting(name: name) }
    return value
}

/// The error code in the body of a response.
func errorCode(of response: ErrorResponse) throws -> ErrorCode {
    guard case .error(_, let body?, _, _) = response else { throw response }
    return try JSONDecoder().decode(ErrorEnvelope.self, from: body).error.errorCode
}

let url = try setting("SEKISHO_URL")
let project = try setting("SEKISHO_PROJECT")
let apiKey = try setting("SEKISHO_API_KEY")
let serviceKey = try setting("SEKISHO_SERVICE_KEY")
let password = "correct horse battery"
let email = "\(UUID().uuidString.lowercased())@example.com"

/// Returns what Sign in with Apple gives to an app: an ID token.
func simulatedAppleSignIn(nonceSHA256: String) async throws -> String {
    struct Person: Encodable { let email: String }
    struct Input: Encodable {
        let providerId = "apple.com"
        let person: Person
        let nonce: String
    }
    struct Output: Decodable { let idToken: String }
    guard let target = URL(string: "\(url)/emulator/v1/projects/\(project)/simulatedSignIns") else {
        throw UnexpectedResponse()
    }
    var request = URLRequest(url: target)
    request.httpMethod = "POST"
    request.httpBody = try JSONEncoder().encode(Input(person: Person(email: email), nonce: nonceSHA256))
    let (data, _) = try await URLSession.shared.data(for: request)
    return try JSONDecoder().decode(Output.self, from: data).idToken
}

// Sends the API key with every request of the app.
let app = SekishoClientAPIConfiguration(basePath: url, customHeaders: ["x-goog-api-key": apiKey])
// Sends the service key with every request of the backend.
let backend = SekishoClientAPIConfiguration(basePath: url, customHeaders: ["Authorization": "Bearer \(serviceKey)"])

let guest = try await SignInAPI.signUp(signUpRequest: SignUpRequest(), apiConfiguration: app)
let localId = guest.localId
done("signUpAnonymously")

let user = try await SignInAPI.signUp(
    signUpRequest: SignUpRequest(email: email, password: password, idToken: guest.idToken), apiConfiguration: app)
try check(user.localId == localId)
done("upgradeWithPassword")

let issued = try await SignInAPI.issueNonce(issueNonceRequest: IssueNonceRequest(), apiConfiguration: app)
let credential = IdpCredential(
    providerId: "apple.com", idToken: try await simulatedAppleSignIn(nonceSHA256: issued.nonceSha256),
    rawNonce: issued.nonce)
let linked = try await SignInAPI.signInWithIdp(
    signInWithIdpRequest: SignInWithIdpRequest(credential: credential, idToken: user.idToken), apiConfiguration: app)
try check(linked.localId == localId)
done("linkApple")

let refreshed = try await SessionsAPI.token(
    tokenRequest: TokenRequest(grantType: .refreshToken, refreshToken: linked.refreshToken ?? ""), apiConfiguration: app
)
try check(refreshed.userId == localId)
done("refresh")

let reauthenticated = try await SignInAPI.signInWithPassword(
    signInWithPasswordRequest: SignInWithPasswordRequest(email: email, password: password), apiConfiguration: app)
try check(reauthenticated.localId == localId)
done("reauthenticate")

let listRequest = ListSessionsRequest(idToken: reauthenticated.idToken)
let listed = try await SessionsAPI.listSessions(listSessionsRequest: listRequest, apiConfiguration: app).sessions
guard let otherSession = listed.first(where: { !$0.current }) else { throw UnexpectedResponse() }
done("listSessions")

let revocation = RevokeOneSessionRequest(idToken: reauthenticated.idToken, sessionId: otherSession.sessionId)
_ = try await SessionsAPI.revokeSession(
    revokeSessionRequest: .typeRevokeOneSessionRequest(revocation), apiConfiguration: app)
let remaining = try await SessionsAPI.listSessions(listSessionsRequest: listRequest, apiConfiguration: app).sessions
try check(remaining.count == listed.count - 1)
done("revokeSession")

let found = try await AccountsAPI.lookupAccounts(
    project: project, lookupAccountsRequest: LookupAccountsRequest(localId: [localId]), apiConfiguration: backend)
try check(found.users?.first?.email == email)
done("backendLookup")

let identity = try await IdentitiesAPI.linkIdentity(
    project: project, localId: localId,
    linkIdentityRequest: LinkIdentityRequest(providerId: "google.com", rawId: email), apiConfiguration: backend)
try check(identity.localId == localId)
done("backendLinkIdentity")

_ = try await IdentitiesAPI.unlinkIdentity(
    project: project, localId: localId, providerId: "google.com", apiConfiguration: backend)
done("backendUnlinkIdentity")

let source = try await SignInAPI.signUp(signUpRequest: SignUpRequest(), apiConfiguration: app).localId
let dryRun = MergeAccountsDryRunRequest(sourceLocalId: source, localId: localId, dryRun: true)
let preview = try await AccountsAPI.mergeAccounts(
    project: project, mergeAccountsRequest: .typeMergeAccountsDryRunRequest(dryRun), apiConfiguration: backend)
guard case .typeMergePreview(let plan) = preview else { throw UnexpectedResponse() }
done("backendMergeDryRun")

let commit = MergeAccountsCommitRequest(mergeToken: plan.mergeToken)
let merged = try await AccountsAPI.mergeAccounts(
    project: project, mergeAccountsRequest: .typeMergeAccountsCommitRequest(commit), apiConfiguration: backend)
guard case .typeMergeAccountsResult = merged else { throw UnexpectedResponse() }
done("backendMerge")

let undone = try await AccountsAPI.undoMerge(
    project: project, undoMergeRequest: UndoMergeRequest(sourceLocalId: source), apiConfiguration: backend)
try check(undone.localId == localId)
done("backendUndoMerge")

let last = try await SignInAPI.signInWithPassword(
    signInWithPasswordRequest: SignInWithPasswordRequest(email: email, password: password), apiConfiguration: app)
_ = try await AccountsAPI.delete(deleteRequest: DeleteRequest(idToken: last.idToken), apiConfiguration: app)
done("delete")

do {
    _ = try await AccountsAPI.lookup(lookupRequest: LookupRequest(idToken: last.idToken), apiConfiguration: app)
} catch {
    try check(try errorCode(of: error) == .userNotFound)
    done("typedError")
}
