/// The events that rate limits count.
public enum LimitKey: Hashable, Sendable {
    /// The kind of the event, without address and network.
    public enum Kind: String, Sendable, CaseIterable {
        case passwordFailures, anyPasswordFailures, addressPasswordFailures, unknownNetworkAttempts, signUps, nonces
        case authorizationFlows, rejectedNotifications
        case email, emailFromNetwork, firstReset, anyEmail, credentialChanges, firstSignIns, accountExports
        case factorFailures, accountFactorFailures, recoveryCodeFailures, unknownNetworkFactorAttempts
        case knownNetworkFactorAttempts, knownNetworkFactorFailures, knownNetworkRecoveryFailures
        case phoneCodes, phoneCodeBlock, phoneCodesFromNetwork, phoneCodeResends, factorPhoneCodes, wrongPhoneCodes
        case wrongEmailCodes, wrongEmailCodesFromNetwork, addressWrongEmailCodes
    }

    /// Wrong passwords for one address from one network, so that an attacker cannot lock out the owner in another
    /// network.
    case passwordFailures(EmailAddress, from: ClientNetwork)
    /// Wrong passwords for any address from one network.
    case anyPasswordFailures(from: ClientNetwork)
    /// Wrong passwords for one address from all networks together.
    case addressPasswordFailures(EmailAddress)
    /// Attempts to sign in with an address that had too many wrong passwords, from networks that are not known networks
    /// of its account.
    case unknownNetworkAttempts(EmailAddress)
    /// Sign-ups from one network, attempts of its clients to give an account an address that is taken, and their first
    /// sign-ins with an unverified address that is taken.
    case signUps(from: ClientNetwork)
    /// Nonces issued to one network.
    case nonces(from: ClientNetwork)
    /// Started sign-ins in a browser, responses of providers, and server auth codes, from one network.
    case authorizationFlows(from: ClientNetwork)
    /// Emails of one purpose to one address, requested from all networks together.
    case email(OOBCode.Purpose, to: EmailAddress)
    /// Emails of one purpose to one address, requested from one network.
    case emailFromNetwork(OOBCode.Purpose, to: EmailAddress, from: ClientNetwork)
    /// The first password reset email to one address.
    case firstReset(to: EmailAddress)
    /// Emails of one purpose to any address, requested from one network.
    case anyEmail(OOBCode.Purpose, from: ClientNetwork)
    /// Credential changes of one account by its own clients, from any network.
    case credentialChanges(ID<Account>)
    /// Exports of one account by its owner.
    case accountExports(ID<Account>)
    /// Sign-ins with one identity while no account has it.
    case firstSignIns(ProviderID, subject: String)
    /// Wrong one-time passwords for one account from one network.
    case factorFailures(ID<Account>, from: ClientNetwork)
    /// Wrong one-time passwords for one account from all networks together.
    case accountFactorFailures(ID<Account>)
    /// Wrong one-time passwords for one account from one of its known networks, after those of all networks have
    /// reached their limit.
    case knownNetworkFactorFailures(ID<Account>, from: ClientNetwork)
    /// Wrong recovery codes for one account, from networks that are not known networks of it.
    case recoveryCodeFailures(ID<Account>)
    /// Wrong recovery codes for one account, from one of its known networks.
    case knownNetworkRecoveryFailures(ID<Account>, from: ClientNetwork)
    /// One-time passwords for an account with many wrong ones, from networks that are not known networks of it.
    case unknownNetworkFactorAttempts(ID<Account>)
    /// One-time passwords for an account with many wrong ones, from one of its known networks.
    case knownNetworkFactorAttempts(ID<Account>, from: ClientNetwork)
    /// Rejected notifications from one network to the endpoint for Apple.
    case rejectedNotifications(from: ClientNetwork)
    /// Codes to one telephone number.
    case phoneCodes(PhoneNumber, PhoneCode.Requester)
    /// Codes to the numbers of a block: those that differ only in their last three digits.
    case phoneCodeBlock(String)
    /// Codes that one network requested.
    case phoneCodesFromNetwork(ClientNetwork)
    /// Codes of one purpose to one telephone number.
    case phoneCodeResends(PhoneNumber, PhoneCode.Purpose, PhoneCode.Requester)
    /// Codes for the second factors of one account.
    case factorPhoneCodes(ID<Account>, PhoneCode.Requester)
    /// Wrong codes for a telephone number, counted per purpose and network: wrong codes from one network must not keep
    /// the owner out in another.
    case wrongPhoneCodes(PhoneNumber, PhoneCode.Purpose, from: ClientNetwork)
    /// Wrong codes for emails of the sign-in page to one address, from one network: wrong codes from one network must
    /// not keep the owner out in another.
    case wrongEmailCodes(EmailAddress, from: ClientNetwork)
    /// Wrong codes for emails of the sign-in page to any address, from one network.
    case wrongEmailCodesFromNetwork(ClientNetwork)
    /// Wrong codes for emails of the sign-in page to one address, from all networks together.
    case addressWrongEmailCodes(EmailAddress)

    public var kind: Kind {
        switch self {
        case .passwordFailures: .passwordFailures
        case .anyPasswordFailures: .anyPasswordFailures
        case .addressPasswordFailures: .addressPasswordFailures
        case .unknownNetworkAttempts: .unknownNetworkAttempts
        case .signUps: .signUps
        case .nonces: .nonces
        case .authorizationFlows: .authorizationFlows
        case .email: .email
        case .emailFromNetwork: .emailFromNetwork
        case .firstReset: .firstReset
        case .anyEmail: .anyEmail
        case .credentialChanges: .credentialChanges
        case .accountExports: .accountExports
        case .firstSignIns: .firstSignIns
        case .rejectedNotifications: .rejectedNotifications
        case .factorFailures: .factorFailures
        case .accountFactorFailures: .accountFactorFailures
        case .recoveryCodeFailures: .recoveryCodeFailures
        case .unknownNetworkFactorAttempts: .unknownNetworkFactorAttempts
        case .knownNetworkFactorAttempts: .knownNetworkFactorAttempts
        case .knownNetworkFactorFailures: .knownNetworkFactorFailures
        case .knownNetworkRecoveryFailures: .knownNetworkRecoveryFailures
        case .phoneCodes: .phoneCodes
        case .phoneCodeBlock: .phoneCodeBlock
        case .phoneCodesFromNetwork: .phoneCodesFromNetwork
        case .phoneCodeResends: .phoneCodeResends
        case .factorPhoneCodes: .factorPhoneCodes
        case .wrongPhoneCodes: .wrongPhoneCodes
        case .wrongEmailCodes: .wrongEmailCodes
        case .wrongEmailCodesFromNetwork: .wrongEmailCodesFromNetwork
        case .addressWrongEmailCodes: .addressWrongEmailCodes
        }
    }

    /// A counter with its own limit.
    public struct Counter: Hashable, Sendable {
        /// The values that identify the counter among those of its ``LimitKey/Kind``. None contains NUL.
        public let names: [String]
        /// The multiple of the limit that applies to this counter.
        public let factor: Int
    }

    /// The counters of one event, from the widest network to the narrowest. The limit is reached if any counter has
    /// reached its limit.
    public var counters: [Counter] {
        switch self {
        case .passwordFailures(let email, let network): Self.counters(of: network, [email.rawValue])
        case .anyPasswordFailures(let network), .signUps(let network), .nonces(let network),
            .authorizationFlows(let network), .rejectedNotifications(let network),
            .phoneCodesFromNetwork(let network), .wrongEmailCodesFromNetwork(let network):
            Self.counters(of: network, [])
        case .anyEmail(let purpose, let network): Self.counters(of: network, [purpose.rawValue])
        case .addressPasswordFailures(let email), .unknownNetworkAttempts(let email), .firstReset(let email),
            .addressWrongEmailCodes(let email):
            [Counter(names: [email.rawValue], factor: 1)]
        case .email(let purpose, let email): [Counter(names: [purpose.rawValue, email.rawValue], factor: 1)]
        // One mailbox has one owner, so a wide network gets the same limit as a narrow one.
        case .emailFromNetwork(let purpose, let email, let network):
            [Counter(names: [purpose.rawValue, email.rawValue, network.widest.prefix], factor: 1)]
        case .factorFailures(let account, let network): Self.counters(of: network, [account.rawValue])
        // One known network has one owner, so it has one limit.
        case .knownNetworkFactorAttempts(let account, let network),
            .knownNetworkFactorFailures(let account, let network),
            .knownNetworkRecoveryFailures(let account, let network):
            [Counter(names: [account.rawValue, network.knownPrefix], factor: 1)]
        case .credentialChanges(let account), .accountExports(let account), .accountFactorFailures(let account),
            .recoveryCodeFailures(let account), .unknownNetworkFactorAttempts(let account):
            [Counter(names: [account.rawValue], factor: 1)]
        case .phoneCodes(let number, let requester):
            [Counter(names: [number.rawValue] + requester.names, factor: 1)]
        // One number has one owner, so a wide network gets the same limit as a narrow one.
        case .wrongPhoneCodes(let number, let purpose, let network):
            [Counter(names: [number.rawValue, purpose.rawValue, network.widest.prefix], factor: 1)]
        case .wrongEmailCodes(let email, let network):
            [Counter(names: [email.rawValue, network.widest.prefix], factor: 1)]
        case .phoneCodeBlock(let block): [Counter(names: [block], factor: 1)]
        case .phoneCodeResends(let number, let purpose, let requester):
            [Counter(names: [number.rawValue, purpose.rawValue] + requester.names, factor: 1)]
        case .factorPhoneCodes(let account, let requester):
            [Counter(names: [account.rawValue] + requester.names, factor: 1)]
        case .firstSignIns(let provider, let subject): [Counter(names: [provider.rawValue, subject], factor: 1)]
        }
    }

    private static func counters(of network: ClientNetwork, _ names: [String]) -> [Counter] {
        network.levels.reversed().map { Counter(names: names + [$0.prefix], factor: $0.factor) }
    }
}

extension ClientNetwork {
    /// The prefix that identifies the network among the known networks of an account.
    fileprivate var knownPrefix: String { knownNetworkPrefix ?? widest.prefix }
}

extension PhoneCode.Requester {
    fileprivate var names: [String] {
        switch self {
        case .anyone: ["1"]
        case .provenFirstFactor: ["2"]
        case .knownNetwork(let network): ["3", network.knownPrefix]
        }
    }
}
