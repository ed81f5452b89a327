internal import HTML
internal import Identity

extension Markup {
    /// Date and time to the minute, in UTC.
    static func time(_ instant: Instant, in language: Language) -> Markup {
        let text = instant.iso8601
        let numbers = text.split { !$0.isNumber }.prefix(5).compactMap { Int($0) }
        guard numbers.count == 5 else { return .text(text) }
        let clock = text.dropFirst(11).prefix(5)
        let date = LocalizedString(
            "\(numbers[2]) \(months[numbers[1] - 1]) \(numbers[0]), \(clock) UTC",
            "\(numbers[0])年\(numbers[1])月\(numbers[2])日 \(clock)（UTC）")
        return Markup(.time, [.datetime(text)], text: date.in(language))
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}
