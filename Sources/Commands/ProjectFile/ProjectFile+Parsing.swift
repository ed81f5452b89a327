internal import Encoding
internal import Gateway
internal import Identity
internal import JSON
internal import Providers

extension ProjectFile {
    /// Returns the bytes of the file at a path that the project file names.
    typealias Contents = (String) throws(UnreadableFile) -> [UInt8]

    /// - Throws: ``ConfigurationError`` with the problems of all members, or if `json` is not a JSON object.
    init(parsing json: [UInt8], contents: Contents) throws(ConfigurationError) {
        let members: JSONObject
        do {
            members = try StrictJSON.decode(JSONObject.self, from: json)
        } catch {
            let problem = (error as? JSONFault)?.description(in: json) ?? "the value is not an object"
            throw ConfigurationError(problems: ["the file is not a valid JSON object: \(problem)"])
        }
        var reader = ObjectReader(members)
        let project = reader.text("project") ?? ""
        if !ProjectDraft.isValidID(project) {
            reader.addProblem("project", "expected a project ID, got \"\(project)\"")
        }
        self.init(project: ID(project))
        name = reader.text("name")
        profile = reader.choice("profile")
        policy = Self.policy(&reader)
        authorizedDomains = reader.texts("authorizedDomains")
        email = reader.nullableObject("email") { Email(&$0) }
        if case .value(let passkeys) = reader.nullableObject("passkeys", { Passkeys(&$0) }) {
            self.passkeys = passkeys
        }
        sms = reader.nullableObject("sms") { SMS(&$0, contents: contents) }
        blockingFunctions = reader.nullableObject("blockingFunctions") { BlockingFunctionsInput(&$0) }
        brand = reader.nullableObject("brand") { BrandInput(&$0, contents: contents) }
        texts = reader.nullableObject("texts") { CustomTexts(&$0) }
        providers = reader.each("providers") { Provider($0, &$1, contents: contents) } ?? [:]
        apps = reader.each("apps") { _, reader in ProjectApp(&reader, contents: contents) } ?? [:]
        eventEndpoints = reader.each("eventEndpoints") { Endpoint($0, &$1) }
        reader.finish()
        guard reader.problems.isEmpty else { throw ConfigurationError(problems: reader.problems) }
    }

    private static func policy(_ reader: inout ObjectReader) -> [String: String] {
        guard let members = reader.object("policy") else { return [:] }
        var policy: [String: String] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let member = Policy.members.first(where: { name.rawValue.isExactly($0.name) }) else {
                reader.addProblem(
                    "policy.\(name)", "unknown setting; `sekisho projects policy --help` lists the settings")
                continue
            }
            // Truth values and numbers must not be in quotation marks.
            let text: String? =
                switch value {
                case .bool(let value): "\(value)"
                case .integer(let value): "\(value)"
                case .string(let value) where Bool(value) == nil && Int(value) == nil: value
                default: nil
                }
            // The value is valid if it can be set in a policy.
            var scratch = Policy(.sekisho)
            if let text, member.set(text, in: &scratch) {
                policy[name.rawValue] = text
            } else {
                reader.addProblem("policy.\(name)", "expected \(member.values)")
            }
        }
        return policy
    }
}

extension ProjectFile.Email {
    fileprivate init(_ reader: inout ObjectReader) {
        senderAddress = reader.nullableEmail("senderAddress")
        senderName = reader.nullableText("senderName")
        replyTo = reader.nullableEmail("replyTo")
        actionURL = reader.nullableText("actionUrl")
        language = reader.nullableChoice("language")
        subjects = reader.nullableObject("subjects") { inner in
            var subjects: [OutgoingEmail.Kind: [Language: String]] = [:]
            for kind in OutgoingEmail.Kind.allCases {
                let texts = inner.nullableObject(kind.name) { inner in
                    Dictionary(
                        uniqueKeysWithValues: Language.allCases.compactMap { language in
                            inner.text(language.rawValue).map { (language, $0) }
                        })
                }
                if case .value(let texts) = texts, !texts.isEmpty { subjects[kind] = texts }
            }
            return subjects
        }
    }
}

extension ProjectFile.Passkeys {
    fileprivate init(_ reader: inout ObjectReader) {
        isEnabled = reader.flag("enabled")
        rpID = reader.text("rpId")
        origins = reader.texts("origins")
        relatedOrigins = reader.texts("relatedOrigins")
        topOrigins = reader.texts("topOrigins")
    }
}

extension ProjectFile.BlockingFunctionsInput {
    fileprivate init(_ reader: inout ObjectReader) {
        if case .value(let triggers) = reader.nullableObject("triggers", { Self.triggers(&$0) }) {
            self.triggers = triggers
        }
        let forwarded = reader.nullableObject("forwardInboundCredentials") { reader in
            (reader.flag("idToken"), reader.flag("accessToken"), reader.flag("refreshToken"))
        }
        if case .value(let forwarded) = forwarded {
            (forwardsIDToken, forwardsAccessToken, forwardsRefreshToken) = forwarded
        }
    }

    private static func triggers(_ reader: inout ObjectReader) -> [BlockingFunctions.Event: CallbackURL] {
        var triggers: [BlockingFunctions.Event: CallbackURL] = [:]
        for event in BlockingFunctions.Event.allCases {
            let url = reader.nullableObject(event.rawValue) { reader -> CallbackURL? in
                guard let text = reader.text("functionUri") else { return nil }
                guard let url = CallbackURL(text, allowsLoopback: false) else {
                    reader.addProblem("functionUri", "expected an https URL of at most \(CallbackURL.byteLimit) bytes")
                    return nil
                }
                return url
            }
            if case .value(let url) = url { triggers[event] = url }
        }
        return triggers
    }
}

extension ProjectFile.SMS {
    fileprivate init(_ reader: inout ObjectReader, contents: ProjectFile.Contents) {
        format = reader.choice("format")
        url = reader.nullableText("url")
        username = reader.nullableText("username")
        fields = reader.map("fields", "a string") { if case .string(let text) = $0 { text } else { nil } }
        allowedCallingCodes = reader.texts("allowedCallingCodes")
        let (allowed, disallowed) = (reader.texts("allowedRegions"), reader.texts("disallowedRegions"))
        if allowed != nil, disallowed != nil {
            reader.addProblem("disallowedRegions", "allowedRegions is set too: use only one of them")
        }
        regions = disallowed.map { .allExcept($0) } ?? allowed.map { .listed($0) }
        budgetPerDay = reader.number("budgetPerDay")
        perCallingCode = reader.map("perCallingCode", "a number") {
            if case .integer(let number) = $0 { Int(exactly: number) } else { nil }
        }
        testPhoneNumbers = reader.map("testPhoneNumbers", "a string") {
            if case .string(let text) = $0 { text } else { nil }
        }
        secret = reader.secret("secret", contents: contents)
    }
}

extension ProjectFile.Endpoint {
    fileprivate init(_ id: String, _ reader: inout ObjectReader) {
        if !EventEndpoint.isValid(ID(id)) {
            reader.addProblem("", "expected an ID of 1 to 63 characters: a to z, 0 to 9 and hyphens")
        }
        // `null` and an empty text: the events are only in the feed.
        switch reader.nullableText("url") {
        case .absent: break
        case .null: url = ""
        case .value(let text): url = text
        }
        if let url, !url.isEmpty, CallbackURL(url, allowsLoopback: false) == nil {
            reader.addProblem("url", "expected a public https URL without user name and fragment")
        }
        kinds = reader.texts("kinds")
        for kind in kinds ?? [] where AccountEvent.Kind(rawValue: kind) == nil {
            reader.addProblem("kinds", "unknown kind of events \"\(kind)\"")
        }
        include = reader.texts("include")
        if include?.allSatisfy({ $0.isExactly("profile") }) == false {
            reader.addProblem("include", "expected [\"profile\"] or an empty list")
        }
    }
}

extension ProjectFile.Provider {
    fileprivate init(_ id: String, _ reader: inout ObjectReader, contents: ProjectFile.Contents) {
        let provider = ProviderID(id)
        isEnabled = reader.flag("enabled")
        clientIDs = reader.texts("clientIds")
        relation = reader.nullableChoice("relation")
        let settings = SupportedProviders.live[provider]?.settings ?? []
        if settings.contains(.hostedDomains) { hostedDomains = reader.texts("hostedDomains") }
        if settings.contains(.apple) {
            teamID = reader.text("teamId")
            keyID = reader.text("keyId")
            acceptsUnhashedNonces = reader.flag("acceptsUnhashedNonces")
        }
        if settings.contains(.openID) {
            relationReason = reader.nullableReason("relationReason")
            issuer = reader.text("issuer")
            displayName = reader.nullableText("displayName")
            trustsEmail = reader.flag("trustsEmail")
        }
        let secretMember = settings.contains(.apple) ? "privateKey" : "clientSecret"
        secret = reader.secret(secretMember, contents: contents)
    }
}

extension ObjectReader {
    /// Reads a secret from the member `name`, or from the file that the member with the ending `File` names.
    fileprivate mutating func secret(
        _ name: String, contents: ProjectFile.Contents
    ) -> Secret? {
        let fileMember = "\(name)File"
        let inlineSecret = text(name)
        guard let path = text(fileMember) else { return inlineSecret.map { Secret($0) } }
        if inlineSecret != nil { addProblem(fileMember, "\(name) is set too: use only one of them") }
        do throws(UnreadableFile) {
            guard let text = String(validating: try contents(path), as: UTF8.self) else {
                throw UnreadableFile(path: path, reason: "not UTF-8")
            }
            // An empty secret would remove the stored one, but an empty file is more likely the result of a failed
            // command.
            if text.allSatisfy(\.isWhitespace) { addProblem(fileMember, "\(path) is empty") }
            return Secret(text.withoutFinalNewline)
        } catch {
            addProblem(fileMember, error.description)
            return nil
        }
    }
}

extension ProjectFile.ProjectApp {
    fileprivate init(_ reader: inout ObjectReader, contents: ProjectFile.Contents) {
        name = reader.text("name")
        platform = reader.choice("platform")
        distribution = reader.choice("distribution")
        bundleIDs = reader.texts("bundleIds")
        signInMethods = reader.nullableTexts("signInMethods")
        linkOnlyMethods = reader.texts("linkOnlyMethods")
        clientIDs = reader.lists("clientIds")
        requestedScopes = reader.nullableChoices("requestedScopes")
        androidPackages = reader.texts("androidPackages")
        androidCertificates = reader.texts("androidCertificates")
        webDomains = reader.texts("webDomains")
        associatedDomains = reader.texts("associatedDomains")
        teamID = reader.nullableText("teamId")
        androidFingerprints = reader.texts("androidFingerprints")
        redirectURIs = reader.texts("redirectUris")
        allowsSilentSignIn = reader.flag("allowsSilentSignIn")
        exemption = reader.nullableObject("exemption") { inner in
            let kind: LoginServicesExemption.Kind? = inner.choice("kind")
            let reason = inner.text("reason")
            guard let kind, let reason else {
                if inner.problems.isEmpty { inner.addProblem("kind", "kind and reason are required") }
                return nil
            }
            return LoginServicesExemption(kind: kind, reason: reason)
        }
        brand = reader.nullableObject("brand") { ProjectFile.BrandInput(&$0, contents: contents) }
    }
}
