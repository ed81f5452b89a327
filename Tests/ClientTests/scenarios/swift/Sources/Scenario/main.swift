// The life cycle of an account, through the generated Swift client.
//
// The clients in Python, TypeScript, Swift, Java and Go run the same scenario. The program prints the name of each step
// that succeeded; after a step that ends with an error, also the error code.

import Foundation
import SekishoClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct UnexpectedResponse: Error {}

struct MissingSetting: Error { let name: String }

func done(_ words: String...) { print(words.joined(separator: " ")) }

func check(_ condition: Bool) throws { if !condition { throw UnexpectedResponse() } }

/// The value of an environment variable that must be set.
func setting(_ name: String) throws -> String {
    guard let value = ProcessInfo.processInfo.environment[name] else { throw MissingSetting(name: name) }
    return value
}

/// Returns the code of the error with which a request fails.
func errorCode(_ request: () async throws -> Void) async throws -> String {
    do {
        try await request()
    } catch let response as ErrorResponse {
        guard case .error(_, let body?, _, _) = response else { throw response }
        return try JSONDecoder().decode(ErrorEnvelope.self, from: body).error.errorCode
    }
    throw UnexpectedResponse()
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

let guest = try await SignInAPI.signUp(signUpInput: SignUpInput(), apiConfiguration: app)
let localId = guest.localId
done("signUpAnonymously")

let other = try await SignInAPI.signUp(
    signUpInput: SignUpInput(email: "other-\(email)", password: password), apiConfiguration: app)
done("signUpWithEmail")

let user = try await SignInAPI.signUp(
    signUpInput: SignUpInput(email: email, password: password, idToken: guest.idToken), apiConfiguration: app)
try check(user.localId == localId)
done("upgradeWithPassword")

let issued = try await SignInAPI.issueNonce(issueNonceInput: IssueNonceInput(), apiConfiguration: app)
let credential = IdpCredential(
    providerId: "apple.com", idToken: try await simulatedAppleSignIn(nonceSHA256: issued.nonceSha256),
    rawNonce: issued.nonce)
let linked = try await SignInAPI.signInWithIdp(
    signInWithIdpInput: SignInWithIdpInput(credential: credential, idToken: user.idToken), apiConfiguration: app)
try check(linked.localId == localId)
done("linkApple")

let refreshed = try await SessionsAPI.refreshTokens(
    grantType: .refreshToken, refreshToken: linked.refreshToken ?? "", apiConfiguration: app)
try check(refreshed.userId == localId)
done("refresh")

let reauthenticated = try await SignInAPI.signInWithPassword(
    signInWithPasswordInput: SignInWithPasswordInput(email: email, password: password), apiConfiguration: app)
try check(reauthenticated.localId == localId)
let idToken = reauthenticated.idToken ?? ""
done("reauthenticate")

let wrongPassword = try await errorCode {
    _ = try await SignInAPI.signInWithPassword(
        signInWithPasswordInput: SignInWithPasswordInput(email: email, password: "a wrong password"),
        apiConfiguration: app)
}
done("wrongPassword", wrongPassword)

let own = try await AccountsAPI.lookUpOwnAccount(
    lookUpOwnAccountInput: LookUpOwnAccountInput(idToken: idToken), apiConfiguration: app)
try check(own.users.first?.email == email)
done("lookUp")

let updated = try await AccountsAPI.updateOwnAccount(
    updateOwnAccountInput: UpdateOwnAccountInput(idToken: idToken, displayName: "Ada"), apiConfiguration: app)
try check(updated.displayName == "Ada")
done("update")

let list = ListSessionsInput(idToken: idToken)
let listed = try await SessionsAPI.listSessions(listSessionsInput: list, apiConfiguration: app).sessions
guard let otherSession = listed.first(where: { !$0.current }) else { throw UnexpectedResponse() }
done("listSessions")

try await SessionsAPI.revokeSession(
    revokeSessionInput: RevokeSessionInput(idToken: idToken, sessionId: otherSession.sessionId), apiConfiguration: app)
let remaining = try await SessionsAPI.listSessions(listSessionsInput: list, apiConfiguration: app).sessions
try check(remaining.count == listed.count - 1)
done("revokeSession")

let ended = try await SessionsAPI.lookUpSession(
    project: project, lookUpSessionInput: LookUpSessionInput(sessionId: otherSession.sessionId),
    apiConfiguration: backend)
try check(!ended.active && ended.endReason != nil)
done("backendLookUpSession")

let source = try await SignInAPI.signUp(signUpInput: SignUpInput(), apiConfiguration: app)
let preview = try await AccountsAPI.mergeOwnAccounts(
    mergeOwnAccountsInput: MergeOwnAccountsInput(
        idToken: source.idToken, dryRun: true, targetIdToken: other.idToken), apiConfiguration: app)
try check(preview.localId == other.localId && preview.undoableUntil == nil)
done("mergeDryRun")

let merged = try await AccountsAPI.mergeOwnAccounts(
    mergeOwnAccountsInput: MergeOwnAccountsInput(idToken: source.idToken, mergeToken: preview.mergeToken),
    apiConfiguration: app)
try check(merged.idToken != nil && merged.undoableUntil != nil)
done("merge")

let keys = try await WellKnownAPI.getProjectJwks(project: project, apiConfiguration: app).keys
try check(!keys.isEmpty)
done("jwks")

try check(try await !SignInAPI.getLoginMethods(apiConfiguration: app).methods.isEmpty)
try check(try await !SignInAPI.getPasswordPolicy(apiConfiguration: app).enforcementState.isEmpty)
try check(try await ConfigurationAPI.getProjectConfig(project: project, apiConfiguration: backend).name != nil)
let providers = try await ProvidersAPI.listDefaultSupportedIdpConfigs(project: project, apiConfiguration: backend)
try check(!providers.defaultSupportedIdpConfigs.isEmpty)
_ = try await AppsAPI.listApps(project: project, apiConfiguration: backend)
_ = try await TenantsAPI.listTenants(project: project, apiConfiguration: backend)
_ = try await WellKnownAPI.getAssetLinks(apiConfiguration: app)
done("readConfiguration")

let code = try await EmailActionsAPI.sendProjectOobCode(
    project: project,
    sendProjectOobCodeInput: SendProjectOobCodeInput(
        requestType: "PASSWORD_RESET", email: email, returnOobLink: true), apiConfiguration: backend)
let checked = try await EmailActionsAPI.resetPassword(
    resetPasswordInput: ResetPasswordInput(oobCode: code.oobCode ?? ""), apiConfiguration: app)
try check(checked.email == email)
done("checkCode")

let found = try await AccountsAPI.lookUpAccounts(
    project: project, lookUpAccountsInput: LookUpAccountsInput(localId: [localId]), apiConfiguration: backend)
try check(found.users?.first?.email == email)
done("backendLookUp")

let page = try await AccountsAPI.batchGetAccounts(project: project, maxResults: 10, apiConfiguration: backend)
try check(!page.users.isEmpty)
done("backendList")

let identity = try await IdentitiesAPI.linkIdentity(
    project: project, localId: localId, linkIdentityInput: LinkIdentityInput(providerId: "google.com", rawId: email),
    apiConfiguration: backend)
try check(identity.localId == localId)
done("backendLinkIdentity")

let all = try await IdentitiesAPI.listIdentities(project: project, localId: localId, apiConfiguration: backend)
try check(all.identities.count == 2)
done("backendListIdentities")

try await IdentitiesAPI.unlinkIdentity(
    project: project, localId: localId, providerId: "google.com", apiConfiguration: backend)
done("backendUnlinkIdentity")

let sourceId = try await SignInAPI.signUp(signUpInput: SignUpInput(), apiConfiguration: app).localId
let plan = try await AccountsAPI.mergeAccounts(
    project: project,
    mergeAccountsInput: MergeAccountsInput(sourceLocalId: sourceId, localId: localId, dryRun: true),
    apiConfiguration: backend)
try check(plan.mergeToken != nil)
done("backendMergeDryRun")

let joined = try await AccountsAPI.mergeAccounts(
    project: project, mergeAccountsInput: MergeAccountsInput(mergeToken: plan.mergeToken), apiConfiguration: backend)
try check(joined.undoableUntil != nil)
done("backendMerge")

let undone = try await AccountsAPI.undoMerge(
    project: project, undoMergeInput: UndoMergeInput(sourceLocalId: sourceId), apiConfiguration: backend)
try check(undone.localId == localId)
done("backendUndoMerge")

let last = try await SignInAPI.signInWithPassword(
    signInWithPasswordInput: SignInWithPasswordInput(email: email, password: password), apiConfiguration: app)
_ = try await AccountsAPI.deleteOwnAccount(
    deleteOwnAccountInput: DeleteOwnAccountInput(idToken: last.idToken ?? ""), apiConfiguration: app)
done("delete")

let deletedAccount = try await errorCode {
    _ = try await AccountsAPI.lookUpOwnAccount(
        lookUpOwnAccountInput: LookUpOwnAccountInput(idToken: last.idToken ?? ""), apiConfiguration: app)
}
done("deletedAccount", deletedAccount)
