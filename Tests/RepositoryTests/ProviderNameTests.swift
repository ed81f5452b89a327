import Testing

/// A provider is one file of `Sources/Providers`, and one line in its list. All other code asks the values that the
/// file makes, so a new provider cannot be forgotten anywhere.
@Suite("Names of providers")
struct ProviderNameTests {
    /// The lower-case names of the providers, except Apple: its grants, notifications and transfers, and guideline 4.8,
    /// are subjects of their own.
    static let names = ["google"]

    /// Hosts and types of the wire protocol and of Google Cloud, which contain the name although they are not about the
    /// provider.
    static let wireNames = [
        "googleapis.com", "securetoken.google.com", "session.firebase.google.com", "firebase.google.com",
        "apis.google.com", "google.identity.identitytoolkit", "google.rpc", "google.protobuf", "google cloud",
        "google service account", "google_cloud_project",
        // Cross-Account Protection, a subject of its own.
        "googlesignal", "googlesecurityevent", "googleserviceaccount",
    ]

    /// The files and folders of `Sources` that may name a provider.
    static let exceptions = [
        "Providers/Google.swift": "the provider",
        "Providers/ProviderList.swift": "the list",
        "Simulators/": "the simulators, which imitate one provider each",
        "DevMode/SimulatedGoogle+Dev.swift": "its simulator in dev",
        "DevMode/DevSimulators.swift": "the list of the simulators of dev",
        "Identity/Projects/Policy.swift": "the policy trustsGoogleForEveryDomain, whose name is part of the wire",
        "Identity/Projects/PolicyMember.swift": "the same policy",
        "Identity/Projects/TrustedConfiguration.swift": "the same policy",
        "Identity/Passkeys/Passkey.swift": "the names of password managers",
        "Commands/UserFiles/CSVColumns.swift": "columns of Firebase's CSV files, also for unsupported providers",
        "Identity/Signals/": "Cross-Account Protection, which only this provider has",
        "Storage/Signals/": "the same",
        "Providers/GoogleSignal": "the same",
        "Gateway/Signals/": "the same",
        "API/Signals/": "the same",
        "Commands/GoogleSignalCommands.swift": "the same",
        "Pages/SignIn/": "the buttons of the sign-in page, whose looks the providers prescribe",
        "Pages/Page/Stylesheet.swift": "the classes of these buttons",
        "Pages/Style/ProviderStyle.swift": "their colours",
        "Pages/Texts/": "the titles of these buttons, and services as examples for users",
        "Client/": "the library for apps, which has a type for each provider of Firebase's SDK",
    ]

    private static func namesProvider(_ text: String) -> Bool {
        let text = wireNames.reduce(text.lowercased()) { $0.replacing($1, with: "") }
        return names.contains { text.contains($0) }
    }

    @Test("No file of Sources names a provider, except the provider's own files and the listed exceptions")
    func onlyInOwnFiles() throws {
        for file in try Repository.files(in: "Sources", ending: ".swift") {
            let name = file.dropFirst("Sources/".count)
            guard !Self.exceptions.keys.contains(where: { name.hasPrefix($0) }) else { continue }
            for line in try Repository.text(file).split(separator: "\n") where Self.namesProvider(String(line)) {
                Issue.record("\(file): \(line)")
            }
        }
    }

    @Test("Every exception names a provider", arguments: exceptions.keys.sorted())
    func needed(exception path: String) throws {
        let files = try Repository.files(in: "Sources", ending: ".swift").filter { $0.hasPrefix("Sources/" + path) }
        #expect(try files.contains { Self.namesProvider(try Repository.text($0)) })
    }
}
