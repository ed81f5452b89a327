internal import HTML
internal import Identity

extension Markup {
    /// A time of the last 48 hours as a distance, another one as date and time in `zone`.
    static func time(
        _ instant: Instant, now: Instant, in language: Language, _ zone: TimeZoneOffsets = .utc
    ) -> Markup {
        let minutes = max(0, (now.seconds - instant.seconds) / 60)
        guard minutes < 48 * 60 else { return .time(instant, in: language, zone) }
        let text =
            switch minutes {
            case ..<1: Text(AccountPageText.justNow)
            case ..<60: Text(AccountPageText.minutesAgo, [.minutes: .count(Int(minutes))])
            default: Text(AccountPageText.hoursAgo, [.hours: .count(Int(minutes / 60))])
            }
        return Markup(.time, [.datetime(instant.iso8601)], text.markup(in: language))
    }
}
