internal import Encoding
internal import HTTP
public import Identity

/// The operations on the identities of an account.
extension Endpoint {
    private static let collection = "/v1/projects/{project}/accounts/{localId}/identities"
    private static let resource = collection + "/{providerId}"

    static let listIdentities = administrator(
        "listIdentities", .get, collection, needs: .readUsers
    ) { call, administrator in
        try call.checkProjectAndTenantInQuery(for: administrator)
        let identities = try await call.services.accounts.linking.identities(
            of: call.localID, in: administrator.realm)
        return try .json(IdentitiesResponse(identities))
    }

    static let linkIdentity = administrator(
        "linkIdentity", .post, collection, needs: .linkUsers
    ) { call, administrator in
        let input = try call.body(as: LinkIdentityRequest.self, for: administrator)
        return try await call.changeIdentity(.link(try input.identity(), to: call.localID), as: administrator)
    }

    static let unlinkIdentity = administrator(
        "unlinkIdentity", .delete, resource, needs: .linkUsers
    ) { call, administrator in
        try call.checkProjectAndTenantInQuery(for: administrator)
        let allowsNoSignInMethod = try call.booleanInQuery("allowNoSignInMethod")
        _ = try await call.services.accounts.linking.apply(
            .unlink(call.providerID, from: call.localID, allowsNoSignInMethod: allowsNoSignInMethod),
            by: administrator.actor, in: administrator.realm)
        return .noContent
    }

    /// Moves an identity to another account in one transaction. At any time, exactly one of the two accounts has the
    /// identity.
    static let moveIdentity = administrator(
        "moveIdentity", .post, resource + ":move", needs: .linkUsers
    ) { call, administrator in
        let input = try call.body(as: MoveIdentityRequest.self, for: administrator)
        guard let target = input.targetLocalId.nonEmpty else {
            throw RequestRefusal.rejected(.missingLocalID, "targetLocalId is required.")
        }
        let change = IdentityChange.move(
            call.providerID, from: call.localID, to: ID(target), allowsNoSignInMethod: input.allowNoSignInMethod == true
        )
        return try await call.changeIdentity(change, as: administrator)
    }
}

extension EndpointCall {
    fileprivate var localID: ID<Account> { ID(parameters["localId"] ?? "") }
    fileprivate var providerID: ProviderID { ProviderID(parameters["providerId"] ?? "") }

    /// Links or moves an identity, and responds with the identity.
    fileprivate func changeIdentity(_ change: IdentityChange, as administrator: Administrator) async throws -> Response
    {
        let identity = try await services.accounts.linking.apply(
            change, by: administrator.actor, in: administrator.realm)
        return try .json(IdentityResource(identity))
    }
}

private struct LinkIdentityRequest: Decodable {
    private enum CodingKeys: String, CodingKey {
        case emailVerified
    }

    private let input: LinkedIdentityInput
    private let emailVerified: Bool?

    init(from decoder: any Decoder) throws {
        input = try LinkedIdentityInput(from: decoder)
        emailVerified = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(
            Bool.self, forKey: .emailVerified)
    }

    /// Returns the identity, and rejects an invalid address. The highest possible trust in the address is `verified`,
    /// not `authoritative`, because an administrator asserts the address, not the provider.
    func identity() throws -> LinkedIdentity {
        var identity = try input.identity()
        guard identity.email != nil || input.email.nonEmpty == nil else { throw CredentialRefusal.invalidEmail }
        if identity.email != nil, emailVerified == true { identity.emailTrust = .verified }
        return identity
    }
}

/// An identity that an administrator links or imports, unchecked.
struct LinkedIdentityInput: Decodable, Sendable {
    let providerId: String?
    let rawId: String?
    let email: String?
    let displayName: ProfileText?
    let photoUrl: ProfileText?

    /// Returns the identity. Ignores an invalid address, as Firebase does.
    func identity() throws(RequestRefusal) -> LinkedIdentity {
        try identity(
            with: UserProfile(
                displayName: try displayName.checkedName()?.content, photoURL: try photoUrl.checkedPhotoURL()?.content))
    }

    /// Returns the identity with the given profile instead of that of the input.
    func identity(with profile: UserProfile) throws(RequestRefusal) -> LinkedIdentity {
        let providerId = try providerId.required(.missingProviderID)
        let rawId = try rawId.required(.missingRawID)
        let provider = ProviderID(providerId)
        guard provider.isLinkable, LinkedIdentity.isValidSubject(rawId) else { throw .rejected(.invalidProviderID) }
        return LinkedIdentity(
            provider: provider, subject: rawId, email: email.flatMap(EmailAddress.init),
            profile: profile)
    }
}

extension ProviderID {
    /// Whether an account can have an identity of this provider: the ID has 1 to 128 printable ASCII characters without
    /// spaces, and does not stand for another sign-in method, such as a password, or for Firebase itself.
    public var isLinkable: Bool {
        ![.password, .phone, .anonymous, ProviderID("custom"), ProviderID("firebase")].contains(self)
            && rawValue.isVisibleASCII(1...128)
    }
}

extension LinkedIdentity {
    /// Whether a text can be the ID of a user at a provider: 1 to 512 bytes of UTF-8, without control characters. Such
    /// a text fits into an index entry. The subjects of known providers are shorter.
    public static func isValidSubject(_ text: String) -> Bool {
        (1...512).contains(text.utf8.count) && !text.unicodeScalars.contains(where: \.isControl)
    }
}

private struct MoveIdentityRequest: Decodable {
    let targetLocalId: String?
    let allowNoSignInMethod: Bool?
}

private struct IdentitiesResponse: Encodable {
    let kind = "sekisho#Identities"
    let identities: [IdentityResource]

    init(_ identities: [DatedIdentity]) {
        self.identities = identities.map(IdentityResource.init)
    }
}

private struct IdentityResource: Encodable {
    let kind = "sekisho#Identity"
    let localId: String
    let providerId: String
    let rawId: String
    let email: String?
    let emailTrust: String
    let isPrivateEmail: Bool?
    let displayName: String?
    let photoUrl: String?
    let realUserStatus: String?
    let audience: String?
    let createdAt: String

    init(_ dated: DatedIdentity) {
        let identity = dated.identity
        localId = dated.account.rawValue
        providerId = identity.provider.rawValue
        rawId = identity.subject
        email = identity.email?.rawValue
        emailTrust = identity.emailTrust.rawValue
        isPrivateEmail = identity.email.map { _ in identity.isPrivateEmail }
        displayName = identity.profile.displayName
        photoUrl = identity.profile.photoURL?.rawValue
        realUserStatus = identity.realUserStatus.map(ProviderUserInfo.name(ofRealUserStatus:))
        audience = identity.audience
        createdAt = dated.linkedAt.iso8601
    }
}
