internal import Encoding
internal import HTTP
internal import Identity
internal import JSON

/// A request that proves an identity: by `postBody` (the credential in the form in which Firebase's SDKs send it), by
/// ``credential``, or by a pending token. The gateway issues a pending token for a verified credential that could not
/// be used yet.
protocol IdpRequest: ClientRequestBody {
    var requestUri: String? { get }
    var postBody: String? { get }
    var credential: IdpCredential? { get }
    var pendingToken: String? { get }
}

extension IdpRequest {
    /// Returns the proof of the identity, which is not verified yet. A pending token takes precedence over `postBody`,
    /// because Firebase's Swift SDK sends it beside a `postBody` that lacks the nonce.
    func proof() throws(RequestRefusal) -> IdentityProof {
        guard credential == nil || (postBody.nonEmpty == nil && pendingToken.nonEmpty == nil) else {
            throw .invalidField("", "must not have credential beside postBody or pendingToken")
        }
        if let pendingToken = pendingToken.nonEmpty { return .pendingToken(pendingToken) }
        let presented =
            if let credential {
                credential
            } else {
                try IdpCredential(requestUri: requestUri.required(.missingRequestURI), postBody: postBody ?? "")
            }
        guard let provider = presented.providerId.nonEmpty, provider.utf8.count <= 64 else {
            // The same message as Firebase's.
            let text =
                credential == nil ? "Invalid IdP response/credential: \(requestUri ?? "")" : "There is no providerId."
            throw .rejected(.invalidCredentialOrProviderID, text)
        }
        return .credential(presented.credential(of: ProviderID(provider.lowercased())))
    }

    /// Does the same as ``proof()``, but first looks for a grant in the URI: the secret for the result of a sign-in in
    /// the browser. It is in the URL to which the gateway redirected the browser. The app can redeem it once, within
    /// ``AuthorizationFlows/grantLifetime``.
    ///
    /// - Throws: what `redeem` throws; `USER_CANCELLED`, or another error that the URL names.
    func proof(
        redeemingGrant redeem: (_ grant: String) async throws -> RedeemedAuthorization
    ) async throws -> IdentityProof {
        guard credential == nil, postBody.nonEmpty == nil, pendingToken.nonEmpty == nil, let requestUri,
            let grant = try IdpCredential.grant(in: requestUri)
        else { return try proof() }
        return .authorization(try await redeem(grant))
    }
}

/// The credential from an identity provider, unchecked. An empty text counts as absent, except as a nonce.
struct IdpCredential: Decodable {
    struct FullName: Decodable {
        let givenName: String?
        let familyName: String?
    }

    let providerId: String?
    let idToken: String?
    let accessToken: String?
    let rawNonce: String?
    let fullName: FullName?
    let authorizationCode: String?
    /// On the web only: the redirect URI for which Apple issued ``authorizationCode``.
    let redirectUri: String?

    fileprivate func credential(of provider: ProviderID) -> FederatedCredential {
        FederatedCredential(
            provider: provider, idToken: idToken.nonEmpty.map(Secret.init),
            accessToken: accessToken.nonEmpty.map(Secret.init), rawNonce: rawNonce, name: fullName?.personName,
            authorizationCode: authorizationCode.nonEmpty.map {
                AuthorizationCode(code: Secret($0), redirectURI: redirectUri.nonEmpty)
            })
    }
}

/// The credential in a query string, with parameters in any order, as Firebase's SDKs send it.
extension IdpCredential {
    /// Combines the parameters of the URI and the body. For a parameter that occurs in several of them, the fragment of
    /// the URI takes precedence over the body, and the body over the query of the URI.
    fileprivate init(requestUri: String, postBody: String) throws(RequestRefusal) {
        guard let scheme = requestUri.utf8.firstIndex(of: UInt8(ascii: ":")), scheme != requestUri.startIndex,
            requestUri[scheme...].utf8.count > 1
        else { throw .rejected(.invalidRequestURI) }
        let (base, fragment) = Self.split(requestUri[...], at: UInt8(ascii: "#"))
        let (_, query) = Self.split(base, at: UInt8(ascii: "?"))
        let (parameters, user) = Self.separateUser(postBody)
        var members: [ByteText: String] = [:]
        for text in [query, parameters[...], fragment] {
            members.merge(try Self.members(of: text)) { $1 }
        }
        self.init(
            providerId: members["providerid"], idToken: members["id_token"], accessToken: members["access_token"],
            rawNonce: members["nonce"],
            fullName: user.flatMap(FullName.init(appleUser:))
                ?? members["user"].nonEmpty.flatMap(FullName.init(appleUser:)),
            authorizationCode: members["code"], redirectUri: members["redirect_uri"])
    }

    /// Returns the grant in the query of the URI.
    ///
    /// - Throws: the error that the URI names.
    fileprivate static func grant(in requestUri: String) throws -> String? {
        let (base, _) = split(requestUri[...], at: UInt8(ascii: "#"))
        let members = try members(of: split(base, at: UInt8(ascii: "?")).1)
        if let grant = members[ByteText(ResultParameter.grant.rawValue)].nonEmpty { return grant }
        guard let error = members[ByteText(ResultParameter.error.rawValue)].nonEmpty else { return nil }
        throw error.isExactly(HandlerCallback.cancelledError)
            ? AuthorizationRefusal.cancelled : AuthorizationRefusal(reported: error)
    }

    private static func split(_ text: Substring, at separator: UInt8) -> (Substring, Substring) {
        guard let index = text.utf8.firstIndex(of: separator) else { return (text, "") }
        return (text[..<index], text[text.utf8.index(after: index)...])
    }

    /// Separates the parameter `user` if it is not percent-encoded. Firebase's Swift SDK sends the user's name as JSON
    /// without encoding, so `&`, `%` and `+` in the name stand for themselves.
    private static func separateUser(_ postBody: String) -> (remaining: String, user: String?) {
        let bytes = Array(postBody.utf8)
        let opening = Array("user={".utf8)
        let found = bytes.indices.first { index in
            bytes[index] == UInt8(ascii: "u") && (index == 0 || bytes[index - 1] == UInt8(ascii: "&"))
                && bytes[index...].starts(with: opening)
        }
        guard let found else { return (postBody, nil) }
        let json = bytes[(found + opening.count - 1)...]
        let length = lengthOfObject(json)
        let others = bytes[..<found].dropLast() + json.dropFirst(length).drop { $0 != UInt8(ascii: "&") }
        return (String(decoding: others, as: UTF8.self), String(decoding: json.prefix(length), as: UTF8.self))
    }

    /// Returns the number of bytes up to and including the brace that closes the first brace. Counts all bytes if no
    /// brace closes it.
    private static func lengthOfObject(_ json: ArraySlice<UInt8>) -> Int {
        var (depth, isInString, isEscaped) = (0, false, false)
        for (offset, byte) in json.enumerated() {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isInString
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "{") where !isInString: depth += 1
            case UInt8(ascii: "}") where !isInString:
                depth -= 1
                if depth == 0 { return offset + 1 }
            default: continue
            }
        }
        return json.count
    }

    /// Decodes a query string.
    private static func members(of text: Substring) throws(RequestRefusal) -> [ByteText: String] {
        guard let pairs = FormDecoder.decode(Array(text.utf8)) else {
            throw .rejected(.invalidCredentialOrProviderID, "The parameters are malformed.")
        }
        let members = pairs.map { ($0.name == "providerId" ? "providerid" : $0.name, $0.value) }
        guard members.map(\.0).firstDuplicate == nil else {
            throw .rejected(.invalidCredentialOrProviderID, "A parameter is repeated.")
        }
        return Dictionary(uniqueKeysWithValues: members)
    }
}

extension IdpCredential.FullName {
    /// Apple's `user`. It comes from the browser or the app without a signature, so the email address in it is ignored.
    private struct AppleUser: Decodable {
        struct Name: Decodable {
            let firstName: String?
            let lastName: String?
        }

        let name: Name?
    }

    /// - Returns: `nil` for text that does not have the form of Apple's `user`.
    init?(appleUser json: String) {
        // A sign-in must not fail because of an invalid name.
        guard let name = (try? StrictJSON.decode(AppleUser.self, from: Array(json.utf8)))?.name else { return nil }
        self.init(givenName: name.firstName, familyName: name.lastName)
    }

    var personName: PersonName? { PersonName(given: givenName, family: familyName) }
}
