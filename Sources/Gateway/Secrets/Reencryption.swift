package import Crypto
internal import Identity
package import Postgres
internal import Storage
internal import Tokens

/// Encrypts the stored secrets again under the current master key, except the secrets of browser sign-ins, which expire
/// within minutes.
package enum Reencryption {
    private static let pageSize = 500

    /// Encrypts again the secrets that are not encrypted under the current master key. The ``Canary`` is last: a canary
    /// under the current key shows that the previous key is no longer needed.
    ///
    /// - Returns: the number of secrets that were encrypted under the previous master key, excluding the canary.
    package static func run(on pool: Pool, under masterKeys: MasterKeys) async throws -> Int {
        let box = SealedBox(keys: masterKeys)
        var count = try await signingKeys(in: SigningKeyStore(pool: pool)).reencrypt(with: box)
        count += try await providerSecrets(in: ProviderSecretStore(pool: pool)).reencrypt(with: box)
        count += try await passwordKeys(in: PasswordKeyStore(pool: pool)).reencrypt(with: box)
        count += try await emails(in: EncryptedEmails(pool: pool)).reencrypt(with: box)
        count += try await appleTokens(in: EncryptedAppleTokens(pool: pool)).reencrypt(with: box)
        count += try await factorSecrets(in: EncryptedFactorSecrets(pool: pool)).reencrypt(with: box)
        count += try await messages(in: EncryptedSMS(pool: pool)).reencrypt(with: box)
        count += try await senderSecrets(in: EncryptedSMS(pool: pool)).reencrypt(with: box)
        count += try await eventSecrets(in: EncryptedEventSecrets(pool: pool)).reencrypt(with: box)
        count += try await googleServiceAccounts(in: GoogleSignalStreamStore(pool: pool)).reencrypt(with: box)
        _ = try await canary(in: InstallationStore(pool: pool)).reencrypt(with: box)
        return count
    }

    static func googleServiceAccounts(
        in store: GoogleSignalStreamStore
    ) -> EncryptedColumn<GoogleSignalStreamStore.Stored> {
        EncryptedColumn(
            page: { $0 == nil ? try await store.all() : [] }, ciphertext: { $0.serviceAccount },
            context: { GoogleSignalStreams.context(of: $0.project) }, replace: { try await store.reseal($0, as: $1) })
    }

    static func signingKeys(
        in store: SigningKeyStore
    ) -> EncryptedColumn<(project: ID<Project>, key: StoredKey)> {
        EncryptedColumn(
            page: { $0 == nil ? try await store.all() : [] }, ciphertext: { $0.key.sealedPrivateKey },
            context: { StoredKey.context($0.key.id, in: $0.project) },
            replace: { try await store.reseal($0.key, as: $1, in: $0.project) })
    }

    static func providerSecrets(in store: ProviderSecretStore) -> EncryptedColumn<ProviderSecretStore.Stored> {
        EncryptedColumn(
            page: { $0 == nil ? try await store.all() : [] }, ciphertext: { $0.sealed },
            context: { SecretEncryption.context($0.provider, in: $0.realm) },
            replace: { try await store.reseal($0, as: $1) })
    }

    static func passwordKeys(in store: PasswordKeyStore) -> EncryptedColumn<PasswordKeyStore.Stored> {
        EncryptedColumn(
            page: { $0 == nil ? try await store.all() : [] }, ciphertext: { $0.sealed },
            context: { PasswordKeys.context($0.id, in: $0.realm) }, replace: { try await store.reseal($0, as: $1) })
    }

    static func emails(in store: EncryptedEmails) -> EncryptedColumn<EncryptedEmails.Stored> {
        EncryptedColumn(
            page: { try await store.emails(after: $0?.id, limit: pageSize) }, ciphertext: { $0.content },
            context: { EncryptedEmailPayloads.context(of: $0.id) }, replace: { try await store.reseal($0, as: $1) })
    }

    static func appleTokens(in store: EncryptedAppleTokens) -> EncryptedColumn<EncryptedAppleTokens.Stored> {
        EncryptedColumn(
            page: { try await store.tokens(after: $0?.id, limit: pageSize) }, ciphertext: { $0.token },
            context: { AppleGrantSealing.context(of: $0.id) }, replace: { try await store.reseal($0, as: $1) })
    }

    static func factorSecrets(in store: EncryptedFactorSecrets) -> EncryptedColumn<EncryptedFactorSecrets.Stored> {
        EncryptedColumn(
            page: { try await store.secrets(after: $0, limit: pageSize) }, ciphertext: { $0.secret },
            context: { FactorSecrets.context(of: $0.factor, in: $0.realm) },
            replace: { try await store.reseal($0, as: $1) })
    }

    static func messages(in store: EncryptedSMS) -> EncryptedColumn<EncryptedSMS.Stored> {
        EncryptedColumn(
            page: { try await store.messages(after: $0, limit: pageSize) }, ciphertext: { $0.content },
            context: { PhoneCodeSecrets.context(of: $0.id) },
            replace: { try await store.reseal($0, as: $1) })
    }

    static func senderSecrets(in store: EncryptedSMS) -> EncryptedColumn<EncryptedSMS.StoredSecret> {
        EncryptedColumn(
            page: { $0 == nil ? try await store.secrets() : [] }, ciphertext: { $0.sealed },
            context: { SecretEncryption.smsContext($0.project) }, replace: { try await store.reseal($0, as: $1) })
    }

    static func eventSecrets(in store: EncryptedEventSecrets) -> EncryptedColumn<EncryptedEventSecrets.Stored> {
        EncryptedColumn(
            page: { $0 == nil ? try await store.all() : [] }, ciphertext: { $0.secret },
            context: { EventSender.context(of: $0.endpoint, in: $0.project) },
            replace: { try await store.reseal($0, as: $1) })
    }

    static func canary(in store: InstallationStore) -> EncryptedColumn<Installation> {
        EncryptedColumn(
            page: { $0 == nil ? [try await store.current()].compactMap(\.self) : [] }, ciphertext: { $0.canary },
            context: { _ in Canary.context }, replace: { try await store.reseal(canary: $0.canary, as: $1) })
    }
}
