internal import API
package import Identity

/// The text that `dev` prints at start: the addresses for a first session.
package enum DevGreeting {
    /// - Parameter program: the command that started this process, such as `.build/release/sekisho`.
    package static func text(
        program: String, port: UInt16, project: ID<Project>, databaseURL: String, signsTokens: Bool
    ) -> String {
        let signatures =
            signsTokens
            ? "signed; only signed ones are accepted"
            : "unsigned; a backend that verifies signatures needs `\(program) dev --signed-tokens`"
        let base = "http://127.0.0.1:\(port)"
        return """
            Sekisho \(Release.version) is ready. Open \(base)/ in a browser to see everything.
            project: \(project)
            database: \(databaseURL)
            ID tokens: \(signatures)
            reference of the API: \(base)/docs
            captured emails: \(base)/dev/emails
            Firebase's tools: export FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:\(port)
            Sign in with Apple: \(program) simulate apple.com --url \(base)
            sign up: curl '\(base)/v1/accounts:signUp?key=any' -H 'content-type: application/json' \\
              -d '{"email":"ada@example.com","password":"correct horse"}'
            Ctrl-C stops the gateway and its private PostgreSQL, if any.
            """
    }
}
