internal import API
internal import Console
internal import Encoding
internal import Identity

/// What the screens know about the permissions of a person. The operations check them again.
extension ConsolePages {
    private static let needs = Dictionary(
        uniqueKeysWithValues: Endpoint.all.compactMap { endpoint in endpoint.needs.map { (endpoint.operationID, $0) } })

    func permissions(of visit: Visit) -> Permissions {
        let role = visit.person.roles.role(in: visit.project)
        let isProven = visit.person.isProven(at: clock.now())
        return Permissions(
            role: role?.rawValue ?? "no role", operators: operators.rawValue,
            actsEverywhere: visit.person.roles.role(in: operators) != nil,
            permission: { operation, scopes in
                guard let needs = Self.needs[operation] else { return .granted }
                let all = [needs.scope] + scopes.compactMap(ServiceKeyScope.init(rawValue:))
                guard let role, all.allSatisfy(role.scopes.allows) else { return .denied }
                let needsProof = needs.recentProof || all.contains(where: \.needsRecentProof)
                return needsProof && !isProven ? .needsProof : .granted
            },
            drafts: drafts.of(visit.person.account.id.rawValue),
            confirmationPath: { ConsolePath.withQuery(SignInScreens.path, "continue", $0) })
    }
}

extension SealedTexts {
    /// Texts of one person: otherwise, a person could fill a form of another one's page with a link.
    fileprivate func of(_ person: String) -> SealedTexts {
        SealedTexts(
            seal: { try sealed("\(person)\n\($0)", in: $1) },
            open: { token, realm in
                opened(token, in: realm).flatMap { text in
                    text.beginsExactly(with: "\(person)\n") ? String(text.utf8.dropFirst(person.utf8.count + 1)) : nil
                }
            })
    }
}
