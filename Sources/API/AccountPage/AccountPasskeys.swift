internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// The passkeys of the account page.
extension AccountPageRequest {
    /// Whether a browser can add a passkey to the account on this page.
    var canAddPasskey: Bool {
        realm.offersPasskeys(to: .accountPage, on: call.origin(in: realm)) && account.passkeys.count < Passkey.limit
    }

    func passkeyPage() throws -> PageResponse { response(.addPasskey(try passkeyCeremony(), frame())) }

    private func passkeyCeremony() throws -> PasskeyCeremony {
        guard canAddPasskey else { throw PasskeyRefusal.notEnabled }
        let started = try services.accounts.passkeys.start(
            for: caller, isConditional: false, for: .accountPage, in: realm)
        return PasskeyCeremony(options: try PasskeyCreation(started).credentialCreationOptions.jsonText)
    }

    func addPasskey() async throws -> PageResponse {
        let ceremony = try passkeyCeremony()
        do {
            let response = try AuthenticatorResponseInput(field: field(.credential)).registration()
            let signedIn = try await services.accounts.passkeys.finalize(
                for: caller, response, name: nil, for: .accountPage, in: realm, from: requestContext)
            return try await done(.passkey, at: .methods, replacingSessionBy: signedIn)
        } catch let refusal as PasskeyRefusal {
            return response(.addPasskey(ceremony, isRejected: true, frame()), because: refusal)
        }
    }

    /// The user handle of a passkey of the account, in base64url.
    func encodedUserHandle(of id: ID<Passkey>) -> String? {
        account.passkeys.first { $0.id == id }.map { Base64URL.encode(Array($0.userHandle.utf8)) }
    }

    /// What the page tells the browser after the removal of a passkey: the passkeys of its user handle that are left.
    /// The proof of the notice covers the handle: otherwise a link could hide the passkeys of another account.
    var acceptedPasskeys: String? {
        guard let userHandle = call.request.query("userHandle"), let rpID = realm.project.passkeys.rpID,
            realm.offersPasskeys(to: .accountPage, on: call.origin(in: realm))
        else { return nil }
        let left = account.passkeys.filter { $0.rpID == rpID && encodedUserHandle(of: $0.id) == userHandle }
        // The value can always be encoded.
        return try? AcceptedPasskeys(
            rpId: rpID, userId: userHandle, allAcceptedCredentialIds: left.map(\.id.rawValue)
        ).jsonText
    }

    /// The passkey that the form, or the query of the page, names; `nil` if the account does not have it.
    private var namedPasskey: (id: ID<Passkey>, method: AccountMethod)? {
        guard case .passkey(let id) = reference,
            let method = AccountMethod.all(of: account, in: realm).first(where: { $0.reference == reference })
        else { return nil }
        return (id, method)
    }

    func renamingPage() throws -> PageResponse {
        guard let (_, passkey) = namedPasskey else {
            return response(.accountFailure(.methodGone, frame()), status: 404, because: RequestRefusal.notFound)
        }
        return response(.renamePasskey(passkey, frame()))
    }

    func renamePasskey() async throws -> PageResponse {
        guard let (id, passkey) = namedPasskey else { throw PasskeyRefusal.unknown }
        let name = field(.displayName) ?? ""
        if let rejected = RejectedName(name, isRequired: true) {
            return response(
                .renamePasskey(passkey, rejected: rejected, frame()),
                because: RequestRefusal.rejected(.invalidProfileAttribute))
        }
        try await services.accounts.passkeys.rename(id, to: name, for: caller, in: realm)
        return try await done(.renamed, at: .methods)
    }
}

/// `AllAcceptedCredentialsOptions` (WebAuthn Level 3 §5.1.10.3).
private struct AcceptedPasskeys: Encodable {
    let rpId: String
    let userId: String
    let allAcceptedCredentialIds: [String]
}
