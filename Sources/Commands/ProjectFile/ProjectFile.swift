internal import Encoding
internal import Gateway
internal import Identity

/// The configuration of a project in a file. If the file omits a member, the property is `nil` or ``Patch/absent``.
struct ProjectFile: Sendable {
    struct Provider: Sendable {
        var isEnabled: Bool?
        var clientIDs: [String]?
        var teamID: String?
        var keyID: String?
        var acceptsUnhashedNonces: Bool?
        var issuer: String?
        var displayName = Patch<String>.absent
        var trustsEmail: Bool?
        /// What the provider is to the project's apps, for App Review guideline 4.8.
        var relation = Patch<ProviderRelation>.absent
        var relationReason = Patch<Reason>.absent
        var hostedDomains: [String]?
        /// Apple's private key, or the client secret of another provider. An empty text removes the stored secret.
        var secret: Secret?
    }

    struct ProjectApp: Sendable {
        var name: String?
        var platform: AppSettings.Platform?
        var distribution: AppSettings.Distribution?
        var bundleIDs: [String]?
        var signInMethods = Patch<[String]>.absent
        var linkOnlyMethods: [String]?
        var clientIDs: [ByteText: [String]]?
        var requestedScopes = Patch<Set<AppSettings.RequestedScope>>.absent
        var androidPackages: [String]?
        var androidCertificates: [String]?
        var webDomains: [String]?
        var associatedDomains: [String]?
        var teamID = Patch<String>.absent
        var androidFingerprints: [String]?
        var redirectURIs: [String]?
        var allowsSilentSignIn: Bool?
        var exemption = Patch<LoginServicesExemption>.absent
        var brand = Patch<BrandInput>.absent
    }

    struct BrandInput: Sendable {
        var name = Patch<String>.absent
        var color = Patch<RGBColor>.absent
        var logo = Patch<ImageUpload>.absent
        var darkLogo = Patch<ImageUpload>.absent
        var favicon = Patch<ImageUpload>.absent
        var privacy = Patch<BrandLink>.absent
        var terms = Patch<BrandLink>.absent
        var support = Patch<BrandLink>.absent
    }

    struct Email: Sendable {
        var senderAddress = Patch<EmailAddress>.absent
        var senderName = Patch<String>.absent
        var replyTo = Patch<EmailAddress>.absent
        var actionURL = Patch<String>.absent
        var language = Patch<Language>.absent
        var subjects = Patch<[OutgoingEmail.Kind: [Language: String]]>.absent
    }

    struct Passkeys: Sendable {
        var isEnabled: Bool?
        var rpID: String?
        var origins: [String]?
        var relatedOrigins: [String]?
        var topOrigins: [String]?
    }

    struct SMS: Sendable {
        var format: SMSSettings.Format?
        var url = Patch<String>.absent
        var username = Patch<String>.absent
        var fields: [ByteText: String]?
        /// The signing secrets or the password. An empty text removes the stored secret.
        var secret: Secret?
        var allowedCallingCodes: [String]?
        var regions: SMSRegions?
        var budgetPerDay: Int?
        var perCallingCode: [ByteText: Int]?
        var testPhoneNumbers: [ByteText: String]?
    }

    struct BlockingFunctionsInput: Sendable {
        /// Replaces the functions of all events.
        var triggers: [BlockingFunctions.Event: CallbackURL]?
        var forwardsIDToken: Bool?
        var forwardsAccessToken: Bool?
        var forwardsRefreshToken: Bool?
    }

    struct Endpoint: Sendable {
        var url: String?
        var kinds: [String]?
        var include: [String]?
    }

    var project: ID<Project>
    var name: String?
    var profile: Policy.Profile?
    /// The values of policy members by name.
    var policy: [String: String] = [:]
    var authorizedDomains: [String]?
    var email = Patch<Email>.absent
    var passkeys: Passkeys?
    var sms = Patch<SMS>.absent
    var blockingFunctions = Patch<BlockingFunctionsInput>.absent
    var brand = Patch<BrandInput>.absent
    var texts = Patch<CustomTexts>.absent
    var providers: [ByteText: Provider] = [:]
    var apps: [ByteText: ProjectApp] = [:]
    /// Event endpoints by ID; `nil` if the file does not name them.
    var eventEndpoints: [ByteText: Endpoint]?
}
