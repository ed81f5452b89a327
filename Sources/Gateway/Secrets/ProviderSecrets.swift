package import Crypto
internal import FoundationEssentials
package import Identity
internal import Storage

extension ConfigurationRules {
    /// The rules of the gateway for configurations. Apple's secret must be a P-256 key in PEM of at most 4096 bytes.
    /// The secret of any other provider must have 1 to 512 printable ASCII characters.
    ///
    /// - Parameters:
    ///   - supportedProviders: the providers of the projects that are checked.
    ///   - publicURL: the URL of the gateway; `nil` if it is not known.
    package static func live(
        supporting supportedProviders: SupportedProviders, acceptsLoopbackIssuers: Bool = false,
        acceptsTenantsWithoutApple: Bool = false, publicURL: String? = nil
    ) -> ConfigurationRules {
        let host = publicURL.flatMap { URL(string: $0)?.host }
        return ConfigurationRules(
            supportedProviders: supportedProviders, acceptsLoopbackIssuers: acceptsLoopbackIssuers,
            acceptsTenantsWithoutApple: acceptsTenantsWithoutApple, ownHost: host
        ) { secret, provider in
            let text = secret.expose()
            guard provider == .apple else {
                return (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            }
            guard text.utf8.count <= 4096 else { return false }
            do {
                return try PrivateKey(pem: text).algorithm == .es256
            } catch {
                return false
            }
        }
    }
}

extension SecretEncryption {
    /// Encrypts the secrets of providers under the master key.
    package static func sealing(under masterKeys: MasterKeys) -> SecretEncryption {
        let box = SealedBox(keys: masterKeys)
        return SecretEncryption { secret, provider, realm in
            try box.seal(Array(secret.expose().utf8), context: context(provider, in: realm))
        } matches: { sealed, secret, provider, realm in
            do {
                return try box.open(sealed, context: context(provider, in: realm)) == Array(secret.expose().utf8)
            } catch {
                return false
            }
        } sealSMS: { secret, project in
            try box.seal(Array(secret.expose().utf8), context: smsContext(project))
        } matchesSMS: { sealed, secret, project in
            do {
                return try box.open(sealed, context: smsContext(project)) == Array(secret.expose().utf8)
            } catch {
                return false
            }
        }
    }

    /// Returns a function that decrypts the secret of a project's sender of text messages.
    static func openingSMS(under masterKeys: MasterKeys) -> @Sendable ([UInt8], ID<Project>) throws -> Secret {
        let box = SealedBox(keys: masterKeys)
        return { sealed, project in
            Secret(String(decoding: try box.open(sealed, context: smsContext(project)), as: UTF8.self))
        }
    }

    /// For configuration changes that contain no secrets, when the master key is not known. Encryption throws
    /// ``Failure``.
    package static let unavailable = SecretEncryption { _, _, _ in
        throw Failure(message: "a secret cannot be stored without the master key")
    } matches: { _, _, _, _ in
        false
    } sealSMS: { _, _ in
        throw Failure(message: "a secret cannot be stored without the master key")
    } matchesSMS: { _, _, _ in
        false
    }

    /// Returns the row and column that the ciphertext of a provider's secret is bound to.
    static func context(_ provider: ProviderID, in realm: ID<Realm>) -> String {
        "identity_provider/\(realm)/\(provider.rawValue)/secret"
    }

    /// Returns the row and column that the ciphertext of the secret of a project's sender is bound to.
    static func smsContext(_ project: ID<Project>) -> String { "realm/\(project)/sms_secret" }
}

extension ProviderSecretStore {
    /// Returns the decrypted secret of a provider; `nil` if none is stored.
    func secret(
        of provider: ProviderID, in realm: ID<Realm>, under masterKeys: MasterKeys
    ) async throws -> Secret? {
        try await secret(of: provider, in: realm).map { sealed in
            let opened = try SealedBox(keys: masterKeys)
                .open(sealed, context: SecretEncryption.context(provider, in: realm))
            return Secret(String(decoding: opened, as: UTF8.self))
        }
    }
}
