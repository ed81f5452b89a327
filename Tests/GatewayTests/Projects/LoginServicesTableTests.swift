import HTTP
import Identity
import Postgres
import Testing

@testable import Gateway
@testable import Support

/// The table `Tests/ClientTests/login_services.json` has test cases for App Review guideline 4.8 (login services). Each
/// row is checked three times: with ``LoginServices``, through the admin API, and through `projects apply` in
/// `Tests/ClientTests/test_login_services.py`.
@Suite("The table of guideline 4.8", .serialized)
struct LoginServicesTableTests {
    @Test("The table has at least sixty rows")
    func size() throws {
        #expect(try LoginServicesRow.all.get().count >= 60)
    }

    @Test("LoginServices finds the violations that each row states", arguments: try LoginServicesRow.all.get())
    func decision(row: LoginServicesRow) {
        let inProject = LoginServices(of: row.app, in: row.realm(with: row.methodsOfProject))
        let inTenant = row.tenant.map { LoginServices(of: row.app, in: row.realm(with: $0)) }
        let violations =
            inProject.violations.map { "\($0.provider.rawValue) \($0.kind.rawValue)" }
            + (inTenant?.violations ?? []).map { "tenant \($0.provider.rawValue) \($0.kind.rawValue)" }
        #expect(violations.sorted() == row.violations.sorted())
        for services in [inProject] + [inTenant].compactMap(\.self) {
            #expect(services.isCompliant || services.thirdParties.allSatisfy { !services.offered.contains($0) })
        }
    }

    @Test(
        "The admin API rejects an app if its row states violations, and names them",
        arguments: try LoginServicesRow.all.get())
    func adminAPI(row: LoginServicesRow) async throws {
        let configurator = try await Configurator()
        // Only apps violate the guideline, so a project without apps can be configured with any providers.
        #expect(try await configurator.send(.delete, "apps/default").outcome == "204")
        try await configurator.setAllowedSignUp(row.signUp)
        if let isRequired = row.requiresAppleOnEveryPlatform {
            let members: JSON = ["loginServicesConfig": ["requiresAppleOnEveryPlatform": .bool(isRequired)]]
            let mask = "loginServicesConfig.requiresAppleOnEveryPlatform"
            #expect(try await configurator.send(.patch, "config", members, mask: mask).outcome == "200")
        }
        try await configurator.configureProviders(of: row.methodsOfProject, below: "")
        if let tenant = row.tenant {
            let made = try await configurator.send(
                .post, "tenants",
                [
                    "allowPasswordSignup": .bool(tenant.signUp.contains("password")),
                    "enableAnonymousUser": .bool(tenant.signUp.contains("anonymous")),
                    "enableEmailLinkSignin": .bool(tenant.signUp.contains("emailLink")),
                ])
            try await configurator.configureProviders(
                of: tenant, below: "tenants/\(try #require(made.json["tenantId"]?.string))/")
        }
        // Like `LoginServicesRow.nativeApp`.
        let native = try await configurator.send(
            .post, "apps",
            ["appId": "native", "platform": "ios", "bundleIds": ["com.example.app"], "signInMethods": []])
        #expect(native.outcome == "200")
        let made = try await configurator.send(.post, "apps", row.input)
        if row.violations.isEmpty {
            #expect(made.outcome == "200")
            #expect(made.json["loginServices"]?["compliant"] == true)
        } else {
            #expect(made.status == 409)
            #expect(row.violations(in: made.outcome).sorted() == row.violations.sorted(), "\(made.outcome)")
            #expect(try await configurator.send(.get, "apps/app").status == 404)
        }
    }
}

extension LoginServicesRow {
    /// The input for the app of this row.
    fileprivate var input: JSON {
        var members: [String: JSON] = [
            "appId": "app", "platform": .string(platform.rawValue), "distribution": .string(distribution.rawValue),
            "bundleIds": .array(bundleIds.map { .string($0) }), "linkOnlyMethods": .array(linkOnly.map { .string($0) }),
        ]
        if let methods { members["signInMethods"] = .array(methods.map { .string($0) }) }
        if let exemption { members["exemption"] = ["kind": .string(exemption.rawValue), "reason": "because"] }
        return .object(members)
    }

    /// The violations that a refusal names, in the form of ``violations``.
    fileprivate func violations(in message: String) -> [String] {
        let names = Set(violations.compactMap { $0.split(separator: " ").dropLast().last.map(String.init) })
        return message.matches(of: /app app( in tenant \S+)?: (.*?) \(([A-Z0-9_]+)\)(?:; |$)/).map { match in
            let words = match.2.split(separator: " ")
            // Apple is named in most sentences, and is the subject of those that name no other method.
            let provider = words.first { names.contains(String($0)) && $0 != "apple.com" } ?? "apple.com"
            return (match.1 == nil ? "" : "tenant ") + "\(provider) \(match.3)"
        }
    }
}

extension Configurator {
    /// Changes the project's policy to allow these of `password`, `anonymous` and `emailLink`, and no others.
    fileprivate func setAllowedSignUp(_ signUp: [String]) async throws {
        let flags = ["allowsPasswords": "password", "allowsAnonymous": "anonymous", "allowsEmailLinks": "emailLink"]
        let policy = flags.map { #""\#($0.key)": "\#(signUp.contains($0.value))""# }.joined(separator: ", ")
        _ = try await gateway.database.pool.execute(
            "UPDATE realm SET policy = \("{\(policy)}")::text::jsonb WHERE parent_id IS NULL")
    }

    /// - Parameter prefix: empty for the project, otherwise `tenants/ID/`.
    fileprivate func configureProviders(of realm: LoginServicesRow.EnabledMethods, below prefix: String) async throws {
        if realm.apple != "absent" {
            var members: [String: JSON] = [
                "enabled": .bool(realm.apple != "disabled"),
                "clientIds": .array(LoginServicesRow.clientIDs(forAppleState: realm.apple).map { .string($0) }),
            ]
            if realm.apple != "noKey" {
                members["appleSignInConfig"] = ["codeFlowConfig": try Self.appleCodeFlowConfig()]
            }
            try await create("\(prefix)defaultSupportedIdpConfigs?idpId=apple.com", members)
        }
        for (name, relation) in realm.providers {
            var members: [String: JSON] = ["enabled": true, "clientIds": ["client"]]
            if let relation { members["relation"] = .string(relation) }
            if relation == "own" { members["relationReason"] = "our own accounts" }
            if name == "google.com" {
                if relation == "organisation" { members["hostedDomains"] = ["example.com"] }
                try await create("\(prefix)defaultSupportedIdpConfigs?idpId=google.com", members)
            } else {
                members["issuer"] = "https://id.example.com"
                try await create("\(prefix)oauthIdpConfigs?oauthIdpConfigId=\(name)", members)
            }
        }
    }

    private func create(_ path: String, _ members: [String: JSON]) async throws {
        let made = try await send(.post, path, .object(members))
        #expect(made.outcome == "200", "\(path)")
    }
}
