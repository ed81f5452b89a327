import Identity
import Testing

@Suite("A policy")
struct PolicyTests {
    @Test("A policy stores only the members that differ from its profile", arguments: Policy.Profile.allCases)
    func overrides(profile: Policy.Profile) {
        #expect(Policy(profile).overrides(of: profile).isEmpty)
        var policy = Policy(profile)
        policy.emailEnumerationProtection = false
        policy.refreshTokenGracePeriod = .seconds(7)
        #expect(
            policy.overrides(of: profile) == ["emailEnumerationProtection": "false", "refreshTokenGracePeriod": "7"])
        #expect(Policy(profile, overrides: policy.overrides(of: profile)) == policy)
    }

    @Test("Turning on the deletion of unused anonymous accounts keeps a lifetime that is set")
    func anonymousAccounts() {
        for (lifetime, isOn, expected) in [(0, true, 30), (0, false, 0), (7, true, 7), (7, false, 0)] {
            var policy = Policy(.sekisho)
            policy.anonymousLifetime = .seconds(lifetime * 86_400)
            policy.deletesUnusedAnonymousAccounts = isOn
            #expect(policy.anonymousLifetime == .seconds(expected * 86_400))
            #expect(policy.deletesUnusedAnonymousAccounts == isOn)
        }
    }

    @Test("Members and values of a newer release are ignored")
    func newer() {
        let policy = Policy(.sekisho, overrides: ["addedLater": "true", "emailEnumerationProtection": "sometimes"])
        #expect(policy == Policy(.sekisho))
    }

    @Test(
        "Invalid values and values out of range are rejected",
        arguments: [
            ("allowsPasswords", "yes"), ("minimumPasswordLength", "5"), ("minimumPasswordLength", "65"),
            ("refreshTokenGracePeriod", "-1"), ("refreshTokenGracePeriod", "301"), ("idTokenLifetime", "299"),
            ("idTokenLifetime", "3601"), ("sessionLimit", "-1"), ("sessionLimit", "1001"),
            ("recentLoginMaxAge", "0"), ("recentLoginMaxAge", "9223372036854775808"),
        ])
    func ranges(name: String, value: String) throws {
        let member = try #require(Policy.members.first { $0.name == name })
        var policy = Policy(.sekisho)
        #expect(!member.set(value, in: &policy))
        #expect(policy == Policy(.sekisho))
    }
}
