internal import Identity
internal import Providers

/// The members of a project file, for the help text of `sekisho projects apply`.
enum ProjectFileHelp {
    static let tables = [
        HelpTable(title: "Members of FILE", rows: fileMembers),
        HelpTable(title: "Members of email (null resets a member to its default)", rows: emailMembers),
        HelpTable(title: "Members of passkeys", rows: passkeyMembers),
        HelpTable(title: "Members of sms", rows: smsMembers),
        HelpTable(title: "Members of blockingFunctions", rows: blockingFunctionMembers),
        HelpTable(title: "Members of brand (null resets a member)", rows: brandMembers),
        HelpTable(title: "Members of a provider", rows: providerMembers),
        HelpTable(title: "Relations of a provider to the project's apps", rows: relations),
        HelpTable(title: "Members of an app", rows: appMembers),
        HelpTable(title: "Members of an event endpoint", rows: eventEndpointMembers),
        HelpTable(
            title: "Kinds of exemption (conditions for the providers that the app offers)", rows: exemptionKinds),
    ]

    private static let emailKinds = OutgoingEmail.Kind.allCases.map(\.name).joined(separator: ", ")

    private static let fileMembers: [(term: String, description: String)] = [
        ("project", "project ID"),
        ("name", "name shown to users in emails and on pages"),
        (
            "profile",
            "policy profile: sekisho or firebase. If it changes, each policy setting that has the default of the old profile gets the default of the new profile"
        ),
        ("policy", "settings of the policy; `sekisho projects policy --help` lists them"),
        ("authorizedDomains", "list of the hosts that links and redirects may lead to"),
        ("email", "settings of emails; null resets all of them"),
        ("passkeys", "settings of passkeys"),
        ("sms", "sender of codes to telephone numbers; null resets it"),
        ("blockingFunctions", "servers that may refuse or change sign-ups and sign-ins; null removes all of them"),
        ("brand", "how pages and emails present the project; null resets it"),
        (
            "texts",
            "texts that replace built-in ones on pages and in emails, by key, then by language; they replace all earlier texts. {app} stands for the name that users see; URLs are not accepted. null removes all of them. Keys: \(CustomText.allCases.map(\.rawValue).joined(separator: ", "))"
        ),
        ("providers", "settings of each provider, by ID: \(SupportedProviders.live.idList), oidc.NAME"),
        ("apps", "settings of each app, by ID"),
        ("eventEndpoints", "settings of each event endpoint, by ID, without secrets"),
    ]

    private static let emailMembers: [(term: String, description: String)] = [
        ("senderAddress", "email address of the sender"),
        ("senderName", "name of the sender"),
        ("replyTo", "email address for replies"),
        (
            "actionUrl",
            "page that the links in emails lead to, at an authorized domain or the gateway's host; links that remove a sign-in method or undo a merge always lead to the gateway's own page"
        ),
        (
            "language",
            "language of emails for requests that name no language: \(Language.allCases.map(\.rawValue).joined(separator: ", "))"
        ),
        (
            "subjects",
            "subject lines by kind of email, then by language; they replace all earlier subject lines. Kinds: \(emailKinds)"
        ),
    ]

    private static let passkeyMembers: [(term: String, description: String)] = [
        ("enabled", "true or false (default: false)"),
        (
            "rpId",
            "host for which devices store passkeys (default: the host of SEKISHO_PUBLIC_URL). Passkeys cannot be used under another rpId, so it cannot be changed while accounts have passkeys. Each project needs its own"
        ),
        ("origins", "list of https origins of pages whose host is a subdomain of rpId"),
        (
            "relatedOrigins",
            "list of https origins of other sites, with at most 5 different hosts; the rpId's host must list them in /.well-known/webauthn"
        ),
        ("topOrigins", "list of https origins of pages that may embed a page with passkeys"),
    ]

    private static let smsMembers: [(term: String, description: String)] = [
        ("format", "webhook (JSON, signed as Standard Webhooks describes) or form (default: webhook)"),
        ("url", "the https URL of the sender; null: no codes are sent"),
        ("username", "form: the name for Basic authentication; null: none"),
        ("fields", "form: templates of the fields by name; {number}, {text}, {code} and {locale} are replaced"),
        (
            "secret",
            "webhook: one or two signing secrets (whsec_ and Base64), separated by a space; form: the password. An empty text removes the stored secret"
        ),
        ("secretFile", "the path of the file with the secret"),
        (
            "allowedCallingCodes",
            "digit prefixes of the numbers to which codes can be sent, for example 81 (default: none). 1 is the United States; other countries with this calling code need their area codes"
        ),
        ("allowedRegions", "regions to which codes can be sent, for example JP (default: none)"),
        ("disallowedRegions", "instead of allowedRegions: all regions except these"),
        ("budgetPerDay", "maximum number of codes per day (default: 100)"),
        (
            "perCallingCode",
            "maximum number of codes per day by calling code (default: \(SMSSettings.callingCodeBudget) each)"
        ),
        (
            "testPhoneNumbers",
            "fixed codes of six digits by number, for at most \(SMSSettings.testNumberLimit) numbers, to which no message is sent"
        ),
    ]

    private static let blockingFunctionMembers: [(term: String, description: String)] = [
        (
            "triggers",
            "the functions by event, each an object with the https URL as functionUri; replaces all earlier functions. Events: \(BlockingFunctions.Event.allCases.map(\.rawValue).joined(separator: ", "))"
        ),
        (
            "forwardInboundCredentials",
            "which tokens of a provider the functions get: idToken, accessToken, refreshToken, each true or false"
        ),
    ]

    private static let brandMembers: [(term: String, description: String)] = [
        ("name", "name shown to users in emails and on pages (default: the name of the project)"),
        ("color", "colour of buttons and links: \(RGBColor.rule)"),
        (
            "logoFile, darkLogoFile",
            "paths of images with the logo, and with the logo for readers who prefer dark colours: \(ImageHeader.rule)"
        ),
        ("faviconFile", "path of an image for the browser's tab"),
        ("privacyUrl, termsUrl", "https URLs of the privacy policy and of the terms of use"),
        ("supportUrl", "where users get help: \(BrandLink.supportRule)"),
    ]

    private static let providerMembers: [(term: String, description: String)] = [
        ("enabled", "true or false (default: true for a new provider)"),
        ("clientIds", "accepted client IDs"),
        (
            "relation",
            "what the provider is to the project's apps, for guideline 4.8: one of the relations below, or null, which is treated as social. \(ProviderNames.with(.socialOrOrganisation)) can be social or, with hostedDomains, organisation. \(ProviderNames.with(.social)) can only be social"
        ),
        (
            "relationReason",
            "oidc.NAME: the reason for the relation, which own requires, with at least 4 different letters or digits, and at most 500 characters; null: none"
        ),
        (
            "hostedDomains",
            "\(ProviderNames.with(.hostedDomains)): the domains of organisations whose users are accepted; an empty list: all users"
        ),
        ("teamId, keyId", "Apple: the IDs of the team and of its private key"),
        ("privateKey", "Apple: the text of the private key (.p8); an empty text removes the stored key"),
        ("privateKeyFile", "Apple: the path of the file with the private key"),
        ("acceptsUnhashedNonces", "Apple: whether a token may have the nonce itself instead of its SHA-256"),
        (
            "clientSecret",
            "\(ProviderNames.with(.clientSecret)): the client secret; an empty text removes the stored one"
        ),
        ("clientSecretFile", "\(ProviderNames.with(.clientSecret)): the path of the file with the client secret"),
        ("issuer", "oidc.NAME: the issuer's URL"),
        ("displayName", "oidc.NAME: the name that apps show on buttons; null: none"),
        ("trustsEmail", "oidc.NAME: whether the issuer's verified email addresses are trusted"),
    ]

    private static let relations: [(term: String, description: String)] = [
        ("social", "a third-party or social login"),
        (
            "own",
            "your company's account system; needs relationReason. The issuer of a public login, such as Facebook, Firebase or Microsoft's personal accounts, can only be social or thirdPartyService"
        ),
        ("organisation", "accounts of a school or an employer"),
        ("government", "an identification system of citizens"),
        ("marketplace", "the login of an alternative app marketplace"),
        ("thirdPartyService", "the service that the app is made for, such as the mail provider of a mail app"),
    ]

    private static let appMembers: [(term: String, description: String)] = [
        ("name", "name shown only to operators"),
        ("platform", "ios, macos, tvos, watchos, visionos, android, windows, web, other"),
        ("distribution", "appStore, marketplace, playStore, enterprise, web, other"),
        (
            "signInMethods",
            "list of provider IDs, passkey, password and anonymous, in display order; null: all enabled methods. passkey permits sign-up with a passkey. password includes sign-in by an emailed link, if the policy setting allowsEmailLinks is on"
        ),
        ("linkOnlyMethods", "IDs of providers whose identities users can link, but not use to sign in"),
        (
            "clientIds",
            "lists of client IDs, by provider ID; for this app, each list replaces the clientIds of the provider"
        ),
        ("requestedScopes", "list of the data that the app requests from providers: email, name; null: both"),
        (
            "bundleIds",
            "bundle IDs of the app and its extensions; if any are listed, a request with an API key of the app is rejected if it names another bundle ID. A bundle ID that begins with a listed one and a dot counts as listed"
        ),
        (
            "androidPackages",
            "Android packages of the app; if any are listed, a request with an API key of the app is rejected if it names another package"
        ),
        (
            "androidCertificates",
            "SHA-1 fingerprints of the certificates that sign androidPackages, to restrict API keys. They are not used for assetlinks.json; see androidFingerprints. If any are listed, a request with an API key of the app is rejected if it names another certificate"
        ),
        (
            "webDomains",
            "hosts of the app's web pages; *.example.com stands for all subdomains. If any are listed, a request with an API key of the app is rejected if it comes from a page of another host"
        ),
        (
            "associatedDomains",
            "host names of this gateway whose files apple-app-site-association and assetlinks.json contain this app"
        ),
        ("teamId", "Apple team in apple-app-site-association; null: the team of apple.com"),
        (
            "androidFingerprints",
            "SHA-256 fingerprints of the certificates that sign androidPackages, for assetlinks.json. They do not restrict API keys; see androidCertificates"
        ),
        (
            "redirectUris",
            "URLs (pages, app links, custom schemes) to which a sign-in by createAuthUri may return; an empty list: every page of an authorized domain"
        ),
        (
            "allowsSilentSignIn",
            "true or false: whether the app may sign in with the session of the browser without showing a page (prompt=none); false unless set"
        ),
        (
            "exemption",
            "exemption from guideline 4.8, with the members kind (one of the kinds below) and reason (at least 4 different letters or digits, and at most 500 characters); null: no exemption"
        ),
        ("brand", "members that replace those of the project's brand for this app; null: none"),
    ]

    private static let eventEndpointMembers: [(term: String, description: String)] = [
        ("url", "https URL that gets the events; null: the events are only in the feed"),
        ("kinds", "list of kinds of events (default: all except session.opened and session.revoked)"),
        ("include", "[\"profile\"]: events contain the profile of the account; an empty list: only IDs"),
    ]

    private static let exemptionKinds: [(term: String, description: String)] = [
        ("ownAccountsOnly", "every provider has the relation own"),
        (
            "organisationAccounts",
            "every provider has the relation organisation, and the app offers neither password, nor anonymous, nor sign-in by an emailed link"
        ),
        ("governmentIdentity", "every provider has the relation government"),
        (
            "alternativeMarketplace",
            "every provider has the relation marketplace, and the distribution of the app is marketplace"
        ),
        (
            "thirdPartyClient",
            "there is exactly one provider, its relation is social or thirdPartyService, and the app offers neither password, nor anonymous, nor sign-in by an emailed link. Sign-in with a password or a custom token is rejected"
        ),
    ]
}
