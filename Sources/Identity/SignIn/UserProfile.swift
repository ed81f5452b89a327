/// The profile of a user at a provider (OpenID Connect Core 1.0 §5.1), cleaned, for display only.
public struct UserProfile: Hashable, Codable, Sendable {
    public var name: PersonName?
    /// By default ``PersonName/full``.
    public var displayName: String?
    public var photoURL: String?
    // Only the fake credentials of `dev` have the following members.
    public var screenName: String?
    public var language: String?
    public var timeZone: String?

    public init(
        name: PersonName? = nil, displayName: String? = nil, photoURL: String? = nil, screenName: String? = nil,
        language: String? = nil, timeZone: String? = nil
    ) {
        self.name = name
        self.displayName = displayName ?? name?.full
        self.photoURL = photoURL
        self.screenName = screenName
        self.language = language
        self.timeZone = timeZone
    }

    /// The profile to store after a sign-in, instead of `stored`. A known name is kept, because Apple sends it only once.
    func updating(_ stored: UserProfile?) -> UserProfile {
        var profile = self
        profile.name = stored?.name ?? name
        profile.displayName = stored?.displayName ?? displayName
        profile.photoURL = photoURL ?? stored?.photoURL
        return profile
    }
}
