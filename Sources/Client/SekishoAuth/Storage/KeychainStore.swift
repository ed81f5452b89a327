#if canImport(Security)
    public import Foundation
    internal import Security

    /// Keeps each session in the keychain, readable after the first unlock and on this device only.
    public struct KeychainStore: SessionStore {
        private static let probe = "sekisho-probe"

        /// The service of the items.
        public let service: String
        /// The access group that other apps and extensions of the team share, or `nil` for the app's own.
        public let accessGroup: String?

        /// Creates a store.
        ///
        /// - Parameters:
        ///   - service: the service of the items (default: `sekisho`).
        ///   - accessGroup: an access group from the app's entitlements (default: the app's own).
        public init(service: String = "sekisho", accessGroup: String? = nil) {
            self.service = service
            self.accessGroup = accessGroup
        }

        /// Returns the item, or `nil` if there is none.
        ///
        /// - Throws: ``SessionStoreError/locked`` before the first unlock. The keychain may then report that there is
        ///   no item. So if there is none, this method writes a probe item, which fails while the keychain is locked.
        public func load(_ key: String) throws -> Data? {
            var found: CFTypeRef?
            var query = item(key)
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            switch SecItemCopyMatching(query as CFDictionary, &found) {
            case errSecSuccess:
                // A missing item would mean that no user is signed in.
                guard let data = found as? Data else { throw SessionStoreError.failed("the item is not data") }
                return data
            case errSecItemNotFound:
                try write(Data(), for: Self.probe)
                return nil
            case let status: throw Self.failure(status)
            }
        }

        /// Replaces the item, or creates it.
        public func save(_ item: Data, for key: String) throws { try write(item, for: key) }

        /// Removes the item if there is one.
        public func remove(_ key: String) throws {
            let status = SecItemDelete(item(key) as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.failure(status) }
        }

        private func write(_ data: Data, for key: String) throws {
            let value: [CFString: Any] = [
                kSecValueData: data, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(item(key) as CFDictionary, value as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(item(key).merging(value) { old, _ in old } as CFDictionary, nil)
                if status == errSecDuplicateItem {
                    // Another process has just added the item.
                    status = SecItemUpdate(item(key) as CFDictionary, value as CFDictionary)
                }
            }
            guard status == errSecSuccess else { throw Self.failure(status) }
        }

        private func item(_ key: String) -> [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: key,
                kSecUseDataProtectionKeychain: true,
            ]
            if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
            return query
        }

        private static func failure(_ status: OSStatus) -> SessionStoreError {
            status == errSecInteractionNotAllowed ? .locked : .failed("keychain status \(status)")
        }
    }
#endif
