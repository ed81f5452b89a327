internal import Console
internal import Encoding
internal import HTML
internal import HTTP
internal import Identity
internal import JSON
internal import Providers
internal import Simulators
internal import Storage

extension StartPages {
    /// The forms that sign a person in at each simulated provider, and with the credential to the gateway, as an app
    /// does.
    func signInBlocks(_ person: SimulatedPerson, _ context: ScreenContext) async throws -> [ScreenBlock] {
        guard ID<Project>(context.realm.project) == projects.defaultID else {
            let path = Self.path(of: person, RealmName(project: projects.defaultID.rawValue, tenant: nil))
            return [
                .paragraph("An API key belongs to the default project, so people can sign in only there."),
                .markup(Self.links([("This person in the default project", path)])),
            ]
        }
        guard let realm = try await realm(named: context.realm) else { return [] }
        let providers = [.apple] + DevSimulators.otherTypes.map { $0.provider }
        let forms = providers.compactMap { signInForm(at: $0, person, realm, context).map(ScreenBlock.form) }
        return [.paragraph("After a sign-in, a page shows the tokens of the new session once.")] + forms + [
            .details(
                "Only the credential",
                [
                    .markup(.commandLine(Self.credentialCommand(person, context))),
                    .paragraph("Pass the postBody of the response to accounts:signInWithIdp."),
                ])
        ]
    }

    /// Returns the realm of a page, which exists.
    private func realm(named name: RealmName) async throws -> Realm? {
        guard let realm = try await projects.realm(ofProject: ID(name.project)) else { return nil }
        guard let id = name.tenant.map({ ID<Tenant>($0) }) else { return realm }
        let found = try await projects.store.realm(ID(id, of: realm.project.id))
        return try await projects.tenant(existing: found, orCreate: id, of: realm)
    }

    /// - Returns: `nil` if the project has no client ID of the provider.
    private func signInForm(
        at provider: ProviderID, _ person: SimulatedPerson, _ realm: Realm, _ context: ScreenContext
    ) -> Form? {
        let name = SupportedProviders.live[provider]?.displayName ?? provider.rawValue
        let clients = realm.settings(of: provider)?.clientIDs ?? []
        guard let first = clients.first else { return nil }
        let field = FormField(
            "clientId", "Client ID", .choice(clients.map { .init($0, $0) }), value: first)
        return Form(
            "sign-in-\(provider.rawValue)", button: "Sign in with \(name)", clients.count > 1 ? [field] : [],
            notice: "Sign-in with \(name)", resultMarkup: { result, _ in Self.signInResult(result, person, context) }
        ) { [simulators] input in
            // A simulator signs the person in only for a submitted form.
            guard input.isSubmitted else { throw Form.InvalidField("clientId", "The form was not submitted.") }
            let client = clients.first { $0.isExactly(input["clientId"]) } ?? first
            let body = try simulators.postBody(of: person, signingInTo: client, at: provider, in: realm)
            return try context.catalog.call(
                "signInWithIdp", in: context.realm,
                body: [
                    "postBody": .string(body), "requestUri": .string("http://localhost"),
                    "returnSecureToken": .bool(true),
                ], credential: .apiKey)
        }
    }

    private static func signInResult(
        _ result: APIResult, _ person: SimulatedPerson, _ context: ScreenContext
    ) -> [ScreenBlock] {
        let back = ScreenBlock.markup(links([("Back to the person", path(of: person, context.realm))]))
        if let account = result.json?["localId"]?.text, result.json?["idToken"] != nil {
            return [back] + tokenBlocks(result, of: account, context)
        }
        let reason =
            if result.json?["needConfirmation"].isTrue == true {
                "Another account has this email address. The app must let the user sign in to that account first, and then link the identity (needConfirmation)."
            } else if result.json?["mfaPendingCredential"] != nil {
                "The account has a second factor, which the app must ask for (mfaPendingCredential)."
            } else {
                "The gateway opened no session. The list of requests shows its response."
            }
        return [back, .paragraph(reason), .markup(links([("All requests", path("/dev/requests", context.realm))]))]
    }

    /// The command that returns a credential as an app receives it from Apple.
    private static func credentialCommand(_ person: SimulatedPerson, _ context: ScreenContext) -> String {
        let call = APICall(
            .post, "/emulator/v1/projects/\(PercentEncoding.encode(context.realm.project))/simulatedSignIns",
            body: [
                "providerId": .string(ProviderID.apple.rawValue),
                "person": .object(members(of: person)),
            ], credential: .none)
        return CurlCommand.text(call, base: context.origin, bearer: context.bearer)
    }
}
