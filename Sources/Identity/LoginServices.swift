/// What stands against App Review guideline 4.8: whoever shows a social provider shows Apple beside it.
public enum LoginServicesViolation: Hashable, Sendable {
    /// The app shows a social provider and not `apple.com`.
    case appleNotShown
    /// The app shows `apple.com`, but the project has it switched off or not configured.
    case appleNotEnabled
    /// Apple's configuration cannot work: no key, no team, or no client id that this app's tokens could be for.
    case appleCannotWork
    /// An exemption claims that there are no third-party logins, and there are.
    case exemptionContradicted
}
