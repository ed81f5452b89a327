/// What responses contain for administrators without the scope `trust`, which is needed to set these members. A path, a
/// name or a field can be the only secret of a server, and the code of a test number signs in.
extension Project {
    public var abbreviated: Project {
        var copy = self
        copy.sms = sms.abbreviated
        copy.blockingFunctions.triggers = blockingFunctions.triggers.mapValues { CallbackURL(stored: $0.abbreviated) }
        return copy
    }
}

extension SMSSettings {
    /// The text in place of what is left out.
    private static let ellipsis = "…"

    fileprivate var abbreviated: SMSSettings {
        var copy = self
        copy.url = url.map { CallbackURL(stored: $0).abbreviated }
        copy.username = username.map { _ in Self.ellipsis }
        copy.fields = fields.mapValues { SMSTemplate.hasText($0) ? Self.ellipsis : $0 }
        copy.testNumbers = testNumbers.mapValues { _ in Self.ellipsis }
        return copy
    }
}
