internal import Encoding

/// A sign-in whose first factor was proven, and that waits for the second one. Nothing of it is stored or committed:
/// the client keeps it as the wire's `mfaPendingCredential`.
struct PendingSignIn: SealedTokenContent {
    static let purpose = "mfa-pending-credential"
    static let invalidRefusal: any Refusal = FactorRefusal.invalidPendingCredential

    let account: ID<Account>
    /// The generation that the account must still have.
    let generation: Int64
    let app: ID<App>?
    let device: String?
    let firstFactor: FirstFactorProof

    init(_ firstFactor: FirstFactorProof, of account: Account, from context: RequestContext) {
        self.account = account.id
        generation = account.generation
        app = context.app
        device = context.device
        self.firstFactor = firstFactor
    }

    /// Requires that the request comes from the app and the device that proved the first factor.
    func requireSameClient(as context: RequestContext) throws(FactorRefusal) {
        guard app == context.app, device.map({ ByteText($0) }) == context.device.map({ ByteText($0) }) else {
            throw .invalidPendingCredential
        }
    }
}

/// A sign-in that waits for a second factor.
public struct SecondFactorChallenge: Sendable {
    public let account: Account
    /// The wire's `mfaPendingCredential`.
    public let pendingCredential: String
}
