public import EventLoop

extension RetryBackoff {
    /// For email that a mail server did not accept: from half a minute to an hour, plus or minus a quarter.
    public static let delivery = RetryBackoff(from: .seconds(30), to: .seconds(3600), jitter: 0.75...1.25)
}
