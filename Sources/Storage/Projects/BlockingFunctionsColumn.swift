internal import Identity

/// The JSON in the column `realm.blocking_functions`. Ignores unknown events, which a newer release may have written.
struct BlockingFunctionsColumn: Codable {
    let triggers: [String: String]
    let idToken: Bool
    let accessToken: Bool
    let refreshToken: Bool

    init(_ functions: BlockingFunctions) {
        triggers = Dictionary(uniqueKeysWithValues: functions.triggers.map { ($0.key.rawValue, $0.value.rawValue) })
        idToken = functions.forwardsIDToken
        accessToken = functions.forwardsAccessToken
        refreshToken = functions.forwardsRefreshToken
    }

    var functions: BlockingFunctions {
        var functions = BlockingFunctions()
        for (name, url) in triggers {
            if let event = BlockingFunctions.Event(rawValue: name) {
                functions.triggers[event] = CallbackURL(stored: url)
            }
        }
        functions.forwardsIDToken = idToken
        functions.forwardsAccessToken = accessToken
        functions.forwardsRefreshToken = refreshToken
        return functions
    }
}
