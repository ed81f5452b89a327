/// Rate limits for codes to telephone numbers, against toll fraud. They apply to a project and its tenants together.
/// Those for sign-ins depend on no account, so that they do not reveal which numbers have accounts.
extension RateLimiter {
    private static let hour: Duration = .seconds(3600)
    private static let day: Duration = .seconds(86_400)
    private static let blockLimit = 10
    private static let networkLimit = 10
    private static let networkWindow: Duration = .seconds(600)
    private static let factorLimit = 5
    private static let numberLimits: [(Int, Duration)] = [(5, hour), (10, day)]
    /// After the first code 30 seconds, after the second 60 more, after the third five minutes more.
    private static let resendLimits: [(Int, Duration)] = [(1, .seconds(30)), (2, .seconds(90)), (3, .seconds(390))]

    /// Counts a code. A code that one limit rejects is not counted by the others.
    ///
    /// - Parameter account: the account whose second factor the code proves; `nil` for a sign-in.
    func countPhoneCode(
        to number: PhoneNumber, for purpose: PhoneCode.Purpose, of account: ID<Account>?,
        requestedBy requester: PhoneCode.Requester, from network: ClientNetwork, in realm: Realm
    ) throws(TooManyAttempts) {
        var limits: [(key: LimitKey, limit: Int, window: Duration)] = [
            (.phoneCodesFromNetwork(network), Self.networkLimit, Self.networkWindow)
        ]
        limits += Self.resendLimits.map { (.phoneCodeResends(number, purpose, requester), $0, $1) }
        limits += Self.numberLimits.map { (.phoneCodes(number, requester), $0, $1) }
        if requester == .anyone { limits.append((.phoneCodeBlock(number.block), Self.blockLimit, Self.hour)) }
        if let account { limits.append((.factorPhoneCodes(account, requester), Self.factorLimit, Self.hour)) }
        var counted: [(key: LimitKey, window: Duration)] = []
        for limit in limits {
            do {
                try count(limit.key, limit.limit, limit.window, ID(realm.project.id))
            } catch {
                for (key, window) in counted { subtract(key, window, ID(realm.project.id)) }
                throw error
            }
            counted.append((limit.key, limit.window))
        }
    }

    /// Throws if there were too many wrong codes of this purpose for the number, from the network. All networks
    /// together have as many attempts as the limits on codes and ``PhoneCode/attemptLimit`` allow: 50 a day for each
    /// ``PhoneCode/Requester``.
    func requirePhoneCodeAttemptAllowed(
        on number: PhoneNumber, for purpose: PhoneCode.Purpose, from network: ClientNetwork, in realm: Realm
    ) throws(TooManyAttempts) {
        try require(
            .wrongPhoneCodes(number, purpose, from: network), PhoneCode.wrongCodeLimit, Self.day, ID(realm.project.id))
    }

    func countWrongPhoneCode(
        of number: PhoneNumber, for purpose: PhoneCode.Purpose, from network: ClientNetwork, in realm: Realm
    ) throws(TooManyAttempts) {
        try count(
            .wrongPhoneCodes(number, purpose, from: network), PhoneCode.wrongCodeLimit, Self.day, ID(realm.project.id))
    }
}
