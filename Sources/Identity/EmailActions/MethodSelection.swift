/// The sign-in methods that the owner of a mailbox selects on a page, because they did not add them. The page lists
/// those that nothing proves to be the owner's: passkeys, the telephone number, and the
/// ``Account/removableIdentities(byOwnerOf:)``.
public struct MethodSelection: Hashable, Sendable {
    public var providers: Set<ProviderID>
    public var passkeys: Set<ID<Passkey>>
    public var includesPhoneNumber: Bool

    public init(
        providers: Set<ProviderID> = [], passkeys: Set<ID<Passkey>> = [], includesPhoneNumber: Bool = false
    ) {
        self.providers = providers
        self.passkeys = passkeys
        self.includesPhoneNumber = includesPhoneNumber
    }

    public static let none = MethodSelection()
}
