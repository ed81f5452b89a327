/// Points in time as text in a header field, in UTC.
public enum HeaderDate: String {
    /// HTTP's format (RFC 9110 §5.6.7), for example `Sun, 06 Nov 1994 08:49:37 GMT`.
    case http = "GMT"
    /// The format of emails (RFC 5322 §3.3), for example `Sun, 06 Nov 1994 08:49:37 +0000`.
    case email = "+0000"

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    public func text(secondsSince1970 seconds: Int64) -> String {
        let (days, second) = seconds.flooredQuotientAndRemainder(dividingBy: 86_400)
        let date = CalendarDate(daysSince1970: days)
        let day = "\(Self.twoDigits(date.day)) \(Self.months[Int(date.month) - 1]) \(date.year)"
        let time = [second / 3600, second / 60 % 60, second % 60].map(Self.twoDigits).joined(separator: ":")
        return "\(Self.weekdays[date.weekday]), \(day) \(time) \(rawValue)"
    }

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
