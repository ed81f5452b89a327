internal import API
internal import Encoding

extension ImportedUser {
    /// The user with the password instead of its hash, if the hash has the format of Firebase's emulator,
    /// `fakeHash:salt=S:password=P`, which Admin SDKs encode in base64.
    var withPasswordOfEmulatorHash: ImportedUser {
        let fake = /fakeHash:salt=[^:]*:password=(?<password>.*)/.dotMatchesNewlines()
        guard let hash = passwordHash, !hash.isEmpty else { return self }
        let decoded = Base64.decode(hash).flatMap { String(validating: $0, as: UTF8.self) }
        guard let match = [hash, decoded ?? ""].lazy.compactMap({ $0.wholeMatch(of: fake) }).first else { return self }
        var user = self
        (user.passwordHash, user.rawPassword) = (nil, String(match.password))
        return user
    }
}
