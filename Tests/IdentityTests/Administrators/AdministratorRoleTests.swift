import Identity
import Testing

@Suite("Roles of administrators")
struct AdministratorRoleTests {
    private static let operators = ID<Project>("operators")
    private static let (shop, blog) = (ID<Project>("shop"), ID<Project>("blog"))

    @Test("Each role allows everything that the role before it allows, and more")
    func order() {
        for (lower, higher) in zip(AdministratorRole.allCases, AdministratorRole.allCases.dropFirst()) {
            #expect(higher.scopes.include(lower.scopes), "\(higher)")
            #expect(!lower.scopes.include(higher.scopes), "\(lower)")
        }
        #expect(ServiceKeyScope.allCases.allSatisfy(AdministratorRole.owner.scopes.allows))
        for scope in [ServiceKeyScope.trust, .mintTokens, .writeAdministrators] {
            #expect(!AdministratorRole.administrator.scopes.allows(scope))
        }
        #expect(!AdministratorRole.support.scopes.allows(.writeUsers))
        #expect(!AdministratorRole.viewer.scopes.allows(.supportUsers))
    }

    @Test(
        "The higher one of the role in the project and the role in all projects applies",
        arguments: [
            ([shop: .support], shop, .support), ([shop: .support], blog, nil),
            ([operators: .viewer], shop, .viewer), ([operators: .viewer, shop: .owner], shop, .owner),
            ([operators: .administrator, shop: .viewer], shop, .administrator),
            // In the operators' project, only owners of all projects change anything.
            ([operators: .administrator], operators, .viewer), ([operators: .owner], operators, .owner),
            ([shop: .owner], operators, nil),
        ] as [([ID<Project>: AdministratorRole], ID<Project>, AdministratorRole?)])
    func roleInProject(roles: [ID<Project>: AdministratorRole], project: ID<Project>, expected: AdministratorRole?) {
        #expect(AdministratorRoles(roles, operators: Self.operators).role(in: project) == expected)
    }

    /// A change of the role of `ada`, and its refusal.
    struct Case: Sendable {
        var by: AdministratorGranter
        var project = AdministratorRoleTests.shop
        var from: AdministratorRole?
        var to: AdministratorRole?
        var owners: Set<String> = ["ada", "eve"]
        var refusal: AdministratorRefusal?
    }

    private static let owner = AdministratorGranter(account: ID("eve"), scopes: AdministratorRole.owner.scopes)
    private static let ada = AdministratorGranter(account: ID("ada"), scopes: AdministratorRole.owner.scopes)
    private static let narrowKey = AdministratorGranter(
        account: nil, scopes: ServiceKeyScopes([.writeAdministrators, .readUsers, .readAudit, .readConfig]))

    @Test(
        "Who may change a role",
        arguments: [
            Case(by: owner, to: .owner), Case(by: owner, from: .owner), Case(by: .commandLine, to: .owner),
            Case(by: ada, from: .viewer, to: .owner, refusal: .ownRole), Case(by: ada, from: .owner, refusal: .ownRole),
            Case(by: narrowKey, to: .viewer), Case(by: narrowKey, to: .support, refusal: .exceedsOwnScopes(.support)),
            Case(by: narrowKey, from: .owner, to: .viewer, refusal: .exceedsOwnScopes(.owner)),
            Case(by: narrowKey, from: .administrator, refusal: .exceedsOwnScopes(.administrator)),
            Case(by: owner, project: operators, from: .owner, to: .viewer, owners: ["ada", "eve"]),
            Case(by: owner, project: operators, from: .owner, to: .viewer, owners: ["ada"], refusal: .lastOwner),
            Case(by: .commandLine, project: operators, from: .owner, owners: ["ada"], refusal: .lastOwner),
            Case(by: owner, project: operators, from: .owner, to: .owner, owners: ["ada"]),
            Case(by: owner, project: shop, from: .owner, owners: ["ada"]),
            Case(by: owner, project: operators, from: .viewer, owners: ["ada"]),
            // Disabled owners do not count.
            Case(by: owner, project: operators, from: .owner, owners: ["eve"]),
        ])
    func change(row: Case) {
        let change = AdministratorChange(ID("ada"), in: row.project, to: row.to)
        var refusal: AdministratorRefusal?
        do {
            try change.requirePermitted(
                by: row.by, current: row.from, owners: Owners(Set(row.owners.map { ID($0) })), operators: Self.operators
            )
        } catch { refusal = error }
        #expect(refusal == row.refusal)
    }

    @Test(
        "Some owner remains, unless there was none",
        arguments: [
            (["ada"], ["ada"], false), (["ada"], ["eve"], true), (["ada", "eve"], ["ada"], true),
            (["ada", "eve"], ["ada", "eve", "bob"], false), ([], ["ada"], true), (["ada"], [], true),
        ] as [(Set<String>, Set<String>, Bool)])
    func remaining(owners: Set<String>, removed: Set<String>, isPermitted: Bool) {
        let owners = Owners(Set(owners.map { ID($0) }))
        let isAccepted = (try? owners.requireRemaining(without: Set(removed.map { ID($0) }))) != nil
        #expect(isAccepted == isPermitted)
    }

    @Test("A scope that includes another one allows what the other allows, and not the reverse")
    func inclusion() {
        #expect(ServiceKeyScopes([.writeUsers]).allows(.supportUsers))
        #expect(ServiceKeyScopes([.config]).allows(.readConfig))
        #expect(!ServiceKeyScopes([.supportUsers]).allows(.writeUsers))
        #expect(!ServiceKeyScopes([.readConfig]).allows(.config))
        #expect(!ServiceKeyScopes.all.subtracting([.trust]).allows(.trust))
        #expect(!ServiceKeyScopes(Set(ServiceKeyScope.allCases)).include(.all), "`all` has scopes of later releases")
    }
}
