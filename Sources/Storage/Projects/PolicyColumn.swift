internal import FoundationEssentials
internal import Identity

/// The column `project.policy`: a JSON object of what differs from the profile, each value as text.
enum PolicyColumn {
    static func json(_ policy: Policy, of profile: Policy.Profile) throws -> String {
        String(decoding: try JSONEncoder().encode(policy.overrides(of: profile)), as: UTF8.self)
    }

    static func policy(_ json: String, of profile: Policy.Profile) throws -> Policy {
        let overrides = try JSONDecoder().decode([String: String].self, from: Data(json.utf8))
        return Policy(profile, overrides: overrides)
    }
}
