import Identity
import Testing

extension ConfigurationTests {
    @Test("Changes of the project, providers, apps and exemptions are audited")
    func events() {
        var after = Self.valid
        after.set(Secret("k"), of: .apple)
        after.remove(Self.corp)
        after.realm.policy.allowsAnonymous = false
        after.realm.project.emailSettings.senderName = "A"
        after.set(ConfiguredApp(app: App(id: ID("new")), name: "New"))
        after.apps[0].app.settings.exemption = LoginServicesExemption(kind: .thirdPartyClient, reason: "because")
        #expect(
            Self.trail(after, since: Self.valid) == [
                "project.changed demo members=email.senderName policy.allowsAnonymous",
                "provider.changed apple.com members=privateKey",
                "provider.removed oidc.corp ",
                "app.changed app members=exemption.kind exemption.reason",
                "exemption.declared app kind=thirdPartyClient reason=because",
                "app.added new ",
            ])
        var other = after
        other.apps[0].app.settings.exemption = LoginServicesExemption(kind: .thirdPartyClient, reason: "otherwise")
        #expect(Self.trail(other, since: after).last == "exemption.changed app kind=thirdPartyClient reason=otherwise")
        other.remove(Self.app)
        #expect(
            Self.trail(other, since: after).suffix(2)
                == ["app.removed app ", "exemption.withdrawn app kind=thirdPartyClient reason=because"])
    }

    @Test("A brand is audited with its new members, without email addresses")
    func brandEvents() {
        var after = Self.valid
        after.realm.project.brand = Brand(
            name: "Acme", support: BrandLink("mailto:help@acme.example", acceptsEmail: true))
        after.apps[0].app.settings.brand.color = RGBColor("#112233")
        #expect(
            Self.trail(after, since: Self.valid) == [
                "project.changed demo members=brand.name brand.supportUrl",
                "brand.changed demo name=Acme supportUrl=mailto",
                "app.changed app members=brand.color",
                "brand.changed app app=app color=#112233",
            ])
    }

    @Test("The keys and languages of changed texts are audited")
    func textEvents() {
        var after = Self.valid
        after.realm.project.texts = CustomTexts([.signInTitle: [.german: "Hallo", .english: "Hi"]])
        #expect(
            Self.trail(after, since: Self.valid) == [
                "project.changed demo members=texts.signInTitle.de texts.signInTitle.en"
            ])
        var removed = after
        removed.realm.project.texts = CustomTexts([.signInTitle: [.english: "Hi"]])
        #expect(Self.trail(removed, since: after) == ["project.changed demo members=texts.signInTitle.de"])
    }

    @Test("A relation, its reason, and the platforms of the rule about Apple are audited")
    func relationEvents() {
        var after = Self.valid
        var corp = Self.openID()
        corp.statedRelation = .own
        corp.relationReason = Reason("our own accounts")
        after.set(corp)
        after.realm.policy.requiresAppleOnEveryPlatform = false
        #expect(
            Self.trail(after, since: Self.valid) == [
                "project.changed demo members=policy.requiresAppleOnEveryPlatform",
                "loginServices.applePlatforms demo ",
                "provider.changed oidc.corp members=relation relationReason",
                "relation.declared oidc.corp reason=our own accounts relation=own",
            ])
        var other = after
        corp.relationReason = Reason("the accounts of our shop")
        other.set(corp)
        other.realm.policy.requiresAppleOnEveryPlatform = true
        #expect(
            Self.trail(other, since: after) == [
                "project.changed demo members=policy.requiresAppleOnEveryPlatform",
                "loginServices.everyPlatform demo ",
                "provider.changed oidc.corp members=relationReason",
                "relation.changed oidc.corp reason=the accounts of our shop relation=own",
            ])
        other.remove(Self.corp)
        #expect(
            Self.trail(other, since: after).contains(
                "relation.withdrawn oidc.corp reason=our own accounts relation=own"))
    }

    /// Returns each audit event of the changes as a line: action, subject and details.
    static func trail(_ after: ProjectConfiguration, since before: ProjectConfiguration) -> [String] {
        after.events(since: before).map { event in
            let detail = event.detail.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
            return "\(event.action) \(event.subject) \(detail.joined(separator: " "))"
        }
    }
}
