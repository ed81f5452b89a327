internal import HTML
public import Identity

/// An audit event as the account page lists it.
public struct AccountActivity: Sendable {
    let text: ActivityText
    let provider: SignInMethodName
    let actor: AuditEvent.ActorKind
    let occurredAt: Instant
    /// How often the same has happened again within an hour.
    let repetitions: Int

    public init(_ event: AuditEvent, in realm: Realm) {
        text = ActivityText(event.note)
        provider = SignInMethodName(event.note.detail["provider"].map { ProviderID($0) }, in: realm)
        actor = event.actorKind
        occurredAt = event.occurredAt
        repetitions = event.note.detail["repeated"].flatMap { Int($0) } ?? 0
    }
}

extension Page {
    /// The number of events on one page.
    public static let activityLimit = 30

    /// Lists what happened to the account, the latest first.
    ///
    /// - Parameter older: the query of the page with older events; `nil` on the last page.
    public static func activity(_ events: [AccountActivity], older: String?, _ frame: AccountFrame) -> Page {
        let list = Markup(.ul, events.map { Markup(.li, frame.markup(of: $0)) })
        return frame.page(
            .activity,
            [frame.note(.activityPeriod), events.isEmpty ? frame.paragraph(.noActivity) : list]
                + (older.map { [frame.link(.moreActivity, to: .activity, query: $0)] } ?? [])
                + [frame.link(.notYou, to: .secure)])
    }
}

extension AccountFrame {
    fileprivate func markup(of event: AccountActivity) -> [Markup] {
        let text = Text(event.text, [.provider: .text(event.provider.label)]).markup(in: language)
        let actor: [Markup] =
            switch event.actor {
            case .user: []
            case .operator: [.text(", ")] + markup(.byOperator)
            case .gateway: [.text(", ")] + markup(.byGateway)
            }
        let repetitions =
            event.repetitions > 0
            ? [Markup.text(", ")] + markup(.repeated, [.count: .count(event.repetitions)]) : []
        return text + actor + repetitions + [.void(.br), Markup(.span, [.classes(.note)], [time(event.occurredAt)])]
    }
}
