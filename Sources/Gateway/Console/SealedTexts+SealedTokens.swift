package import Console
package import Identity

extension SealedTexts {
    /// Texts that pages can read for a day.
    package static func live(_ tokens: any SealedTokens, clock: WallClock) -> SealedTexts {
        SealedTexts(
            seal: { try tokens.encode(ConsoleText(text: $0), until: clock.now() + ConsoleText.lifetime, in: $1.id) },
            open: { try? tokens.decode(ConsoleText.self, from: $0, at: clock.now(), in: $1.id).0.text })
    }

    /// Values of forms that wait while a person proves both factors again. A text of a URL is no draft: a person can
    /// have any such text encrypted.
    static func drafts(_ tokens: any SealedTokens, clock: WallClock) -> SealedTexts {
        SealedTexts(
            seal: {
                try tokens.encode(FormDraftText(text: $0), until: clock.now() + FormDraftText.lifetime, in: $1.id)
            },
            open: { try? tokens.decode(FormDraftText.self, from: $0, at: clock.now(), in: $1.id).0.text })
    }
}

private struct FormDraftText: SealedTokenContent {
    static let purpose = "draft of a form of the console"
    static let lifetime: Duration = .seconds(3600)

    let text: String

    enum CodingKeys: String, CodingKey {
        case text = "t"
    }
}

private struct ConsoleText: SealedTokenContent {
    static let purpose = "text in a URL of the console"
    static let lifetime: Duration = .seconds(24 * 3600)

    let text: String

    enum CodingKeys: String, CodingKey {
        case text = "t"
    }
}

extension RealmName {
    fileprivate var id: ID<Realm> {
        let project = ID<Project>(project)
        return tenant.map { ID<Realm>(ID<Tenant>($0), of: project) } ?? ID<Realm>(project)
    }
}
