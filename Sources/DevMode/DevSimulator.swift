internal import Identity
internal import JSON
internal import Simulators

/// The simulator of a provider other than Apple, as `dev` runs it.
protocol DevSimulator: SimulatedProvider, AnyObject {
    static var provider: ProviderID { get }
    /// The member for the simulator in requests and responses of the endpoint for simulators.
    static var memberName: String { get }
    /// The client ID of every new project. The ID is invented.
    static var clientID: String { get }
    static var initialIssuer: String { get }
    /// The `iss` of new tokens.
    var issuer: String { get set }
    var redirectURIs: RedirectURIRule { get set }
    /// The number of requests for the public keys.
    var keyFetches: Int { get }

    /// Returns a simulator that publishes only one key, because generating RSA keys is slow, and that does not check
    /// client secrets.
    ///
    /// - Parameter clock: seconds since 1970.
    static func make(clock: @escaping @Sendable () -> Int64, people: SimulatedPeople) throws -> Self
    /// Returns the user information of an emulated credential, in the format that Firebase's emulator has for the
    /// provider.
    static func userInfo(_ claims: JSONObject, hasEmail: Bool) -> JSONObject
    /// The `sub` of the person.
    static func subject(of person: SimulatedPerson) -> String
    func hasPublishedKey(_ id: String) -> Bool
    func rotateKeys(keepingOld: Bool) throws
    /// Registers a client ID, so that the provider knows it.
    func registerClient(_ id: String)
    /// Signs a person in.
    ///
    /// - Parameter isFirst: whether the person signs in as if they had never used the app.
    func signIn(
        _ person: SimulatedPerson, to clientID: String, nonce: String?, isFirst: Bool
    ) throws -> (idToken: String, authorizationCode: String)
}
