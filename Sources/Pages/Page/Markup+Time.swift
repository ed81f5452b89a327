internal import HTML
internal import Identity

extension Markup {
    /// Date and time to the minute, with the name of the time zone.
    static func time(_ instant: Instant, in language: Language, _ zone: TimeZoneOffsets = .utc) -> Markup {
        let text = zone.local(instant).iso8601
        let numbers = text.split { !$0.isNumber }.prefix(5).compactMap { Int($0) }
        guard numbers.count == 5 else { return .text(text) }
        let date = Text.page(
            .instant,
            [
                .year: .count(numbers[0]), .month: .text(.page(months[numbers[1] - 1])), .day: .count(numbers[2]),
                .time: .literal(String(text.dropFirst(11).prefix(5))), .zone: .literal(zone.name.rawValue),
            ])
        return Markup(.time, [.datetime(instant.iso8601)], date.markup(in: language))
    }

    private static let months: [PageText] = [
        .january, .february, .march, .april, .may, .june, .july, .august, .september, .october, .november, .december,
    ]
}
