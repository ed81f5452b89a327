import Foundation
import SekishoAuth

/// The gateway that the app uses.
public struct SampleServer: Sendable {
    /// The options of the library for this gateway.
    public var options: SekishoOptions
    /// The port of `sekisho dev` on this machine, or `nil` for a gateway with TLS.
    public var developmentPort: Int?

    /// Creates a server.
    public init(options: SekishoOptions, developmentPort: Int? = nil) {
        self.options = options
        self.developmentPort = developmentPort
    }

    /// The gateway that `Deploy/run` starts, on port 9099 of this machine. The URL in the options is not used, because
    /// the library sends all requests to the development port.
    public static let development = SampleServer(
        options: SekishoOptions(url: URL(string: "https://auth.example.com")!, apiKey: "any"), developmentPort: 9099)

    /// Configures the library, and returns the instance to use.
    func auth() -> Auth {
        SekishoApp.configure(options: options)
        let auth = Auth.auth()
        if let developmentPort { auth.useEmulator(withHost: "127.0.0.1", port: developmentPort) }
        return auth
    }
}
