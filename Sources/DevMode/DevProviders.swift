internal import Crypto
internal import Gateway
internal import Identity

/// Apple and Google as every project of `dev` begins with them. Nobody at either has heard of these names.
enum DevProviders {
    static let settings = [
        ProviderSettings(
            provider: .apple, isEnabled: true, clientIDs: ["com.example.app", "com.example.web"], hasSecret: true,
            apple: AppleSettings(teamID: "DEVTEAM123", keyID: "DEVKEY1234")),
        ProviderSettings(provider: .google, isEnabled: true, clientIDs: ["demo.apps.googleusercontent.com"]),
    ]

    /// Apple's is made on the spot, another for each project.
    static func secrets() throws -> [ProviderID: Secret] {
        [.apple: Secret(try PrivateKey.generate(.es256).pem)]
    }
}
