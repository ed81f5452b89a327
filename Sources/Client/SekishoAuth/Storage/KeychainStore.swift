#if canImport(Security)
    internal import CryptoKit
    public import Foundation
    internal import Security

    /// Stores each session in the keychain. The item is readable after the first unlock, and on this device only.
    public struct KeychainStore: SessionStore {
        /// The key of an empty item, which is written to find out whether the keychain is locked.
        private static let probeKey = "sekisho-probe"

        /// The service of the keychain items (`kSecAttrService`).
        public let service: String
        /// The access group of the keychain items (`kSecAttrAccessGroup`), or `nil` for the app's default group.
        public let accessGroup: String?

        /// Creates a store.
        ///
        /// - Parameters:
        ///   - service: the service of the keychain items (default: `sekisho`).
        ///   - accessGroup: an access group from the app's entitlements, to share the session with other apps and
        ///     extensions (default: the app's default group).
        public init(service: String = "sekisho", accessGroup: String? = nil) {
            self.service = service
            self.accessGroup = accessGroup
        }

        /// Returns the item, or `nil` if it does not exist.
        ///
        /// - Throws: ``SessionStoreError/locked`` before the first unlock, otherwise ``SessionStoreError/failed(_:)``.
        public func load(_ key: String) throws -> Data? {
            var found: CFTypeRef?
            var query = itemAttributes(key)
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            switch SecItemCopyMatching(query as CFDictionary, &found) {
            case errSecSuccess:
                // `nil` would sign the user out.
                guard let data = found as? Data else { throw SessionStoreError.failed("the item is not data") }
                return data
            case errSecItemNotFound:
                // A locked keychain can report that an item does not exist. It rejects this write, so the call throws.
                try write(Data(), for: Self.probeKey)
                return nil
            case let status: throw Self.failure(status)
            }
        }

        /// Replaces the item, or creates it.
        ///
        /// - Throws: ``SessionStoreError``.
        public func save(_ item: Data, for key: String) throws { try write(item, for: key) }

        /// Replaces or removes the item if it is `expected`.
        ///
        /// The item has its digest as an attribute (`kSecAttrGeneric`), so that one call of the keychain compares and
        /// replaces it.
        ///
        /// - Throws: ``SessionStoreError``.
        public func replace(_ expected: Data, with new: Data?, for key: String) throws -> Bool {
            var query = itemAttributes(key)
            query[kSecAttrGeneric] = Self.digest(expected)
            let status =
                if let new {
                    SecItemUpdate(query as CFDictionary, Self.values(new) as CFDictionary)
                } else {
                    SecItemDelete(query as CFDictionary)
                }
            switch status {
            case errSecSuccess: return true
            case errSecItemNotFound:
                // Throws if the keychain is locked.
                _ = try load(key)
                return false
            case let status: throw Self.failure(status)
            }
        }

        /// Removes the item if it exists.
        ///
        /// - Throws: ``SessionStoreError``.
        public func remove(_ key: String) throws {
            let status = SecItemDelete(itemAttributes(key) as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.failure(status) }
        }

        private func write(_ data: Data, for key: String) throws {
            let value = Self.values(data)
            var status = SecItemUpdate(itemAttributes(key) as CFDictionary, value as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(itemAttributes(key).merging(value) { old, _ in old } as CFDictionary, nil)
                if status == errSecDuplicateItem {
                    // Another process has added the item in the meantime.
                    status = SecItemUpdate(itemAttributes(key) as CFDictionary, value as CFDictionary)
                }
            }
            guard status == errSecSuccess else { throw Self.failure(status) }
        }

        private static func digest(_ data: Data) -> Data { Data(SHA256.hash(data: data)) }

        /// Returns the attributes that a write sets.
        private static func values(_ data: Data) -> [CFString: Any] {
            [
                kSecValueData: data, kSecAttrGeneric: digest(data),
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
        }

        /// Returns the attributes that identify a key's item, for a query or a new item.
        private func itemAttributes(_ key: String) -> [CFString: Any] {
            var attributes: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: key,
                kSecUseDataProtectionKeychain: true,
            ]
            if let accessGroup { attributes[kSecAttrAccessGroup] = accessGroup }
            return attributes
        }

        private static func failure(_ status: OSStatus) -> SessionStoreError {
            status == errSecInteractionNotAllowed ? .locked : .failed("keychain status \(status)")
        }
    }
#endif
