internal import Crypto
internal import Gateway
internal import Identity

/// The initial Apple and Google settings of every project of `dev`. The IDs are invented.
enum DevProviders {
    static let settings = [
        ProviderSettings(
            provider: .apple, isEnabled: true, clientIDs: ["com.example.app", "com.example.web"], hasSecret: true,
            apple: AppleSettings(teamID: "DEVTEAM123", keyID: "DEVKEY1234")),
        ProviderSettings(provider: .google, isEnabled: true, clientIDs: ["demo.apps.googleusercontent.com"]),
    ]

    /// Generates a private key for Apple, a new one for each project.
    static func secrets() throws -> [ProviderID: Secret] {
        [.apple: Secret(try PrivateKey.generate(.es256).pem)]
    }
}
