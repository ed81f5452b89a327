import Encoding
import JSON
import Testing

@testable import API
@testable import DevMode

@Suite("Names of secrets in the contract")
struct SecretNamesTests {
    /// Parts of names that a secret can have.
    private static let suspicious = [
        "code", "cookie", "credential", "grant", "hash", "key", "nonce", "password", "proof", "salt", "secret",
        "session", "token",
    ]

    @Test("`dev` masks each name of the contract that reads like that of a secret, unless it is listed here")
    func masked() throws {
        var names = Set<String>()
        Self.collectNames(of: try StrictJSON.decode(JSONValue.self, from: openAPIJSON), into: &names)
        let visible = names.filter { name in
            Self.suspicious.contains { name.lowercased().contains($0) } && !SecretMasking.isSecret(ByteText(name))
        }
        #expect(visible.subtracting(Self.notSecret).sorted() == [])
        #expect(Self.notSecret.subtracting(visible).sorted() == [], "The contract no longer has these names.")
    }

    /// Collects the names of members and parameters.
    private static func collectNames(of value: JSONValue, into names: inout Set<String>) {
        if case .array(let elements) = value {
            for element in elements { collectNames(of: element, into: &names) }
        }
        guard case .object(let members) = value else { return }
        if case .object(let properties)? = members["properties"] {
            names.formUnion(properties.keys.map(\.rawValue))
        }
        if members["in"] != nil, case .string(let name)? = members["name"] { names.insert(name) }
        for member in members.values { collectNames(of: member, into: &names) }
    }

    /// Settings, kinds, times, counts and public values.
    private static let notSecret: Set<String> = [
        "acceptsUnhashedNonces", "allAcceptedCredentialIds", "allowPasswordSignup", "apiKey", "canHandleCodeInApp",
        "codeChallenge", "codeChallengeMethod", "codeExpiresAt", "codeFlowConfig", "code_challenge",
        "code_challenge_method",
        "credential", "credentialCreationOptions", "credentialId", "credentialRequestOptions", "credentialState",
        "deletePasskey", "emailPasswordEnforcementState", "errorCode", "excludeCredentials",
        "forwardInboundCredentials", "grant_type",
        "hashAlgorithm",
        "hashLengthBytes", "hashType", "hashingAlgorithm", "id_token_signing_alg_values_supported", "isSecretStored",
        "key",
        "keyId",
        "keys", "maxPasswordLength", "mergeTokenExpiresIn", "minPasswordLength", "nextPageToken", "nonce",
        "nonceSha256", "pageToken", "passkeyInfo", "passkeySignals", "passkeys", "passwordHashOrder",
        "passwordPolicyConfig", "passwordPolicyEnforcementState",
        "passwordPolicyVersions", "passwordRequired", "passwordRules", "passwordUpdatedAt", "phoneSessionInfo",
        "pubKeyCredParams",
        "rawNonce",
        "recaptchaKey", "recoveryCodeInfo", "recoveryCodesAvailable", "requireResidentKey", "residentKey",
        "resetPasswordTemplate", "returnIdpCredential",
        "session",
        "sessions", "temporaryProofExpiresIn", "tokenType", "token_type", "totpSessionInfo", "verificationCodeLength",
        "webcredentials",
        "x-goog-api-key",
    ]
}
