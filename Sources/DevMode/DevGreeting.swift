internal import API
package import Identity

/// The text that `dev` prints at start, with commands for a first session.
package enum DevGreeting {
    package static func text(port: UInt16, project: ID<Project>, databaseURL: String) -> String {
        let base = "http://127.0.0.1:\(port)"
        return """
            Sekisho \(Release.version) is ready: \(base)
            project: \(project)
            database: \(databaseURL)

            Sign up, and sign in:

              curl '\(base)/v1/accounts:signUp?key=any' -H 'content-type: application/json' \\
                -d '{"email":"ada@example.com","password":"correct horse"}'

              curl '\(base)/v1/accounts:signInWithPassword?key=any' -H 'content-type: application/json' \\
                -d '{"email":"ada@example.com","password":"correct horse"}'

            Look up the account, and refresh the tokens, with the idToken and refreshToken of the response:

              curl '\(base)/v1/accounts:lookup?key=any' -H 'content-type: application/json' \\
                -d '{"idToken":"..."}'

              curl '\(base)/v1/token?key=any' -d grant_type=refresh_token -d refresh_token=...

            Simulate a sign-in at apple.com or google.com; the response has a postBody for accounts:signInWithIdp:

              curl '\(base)/emulator/v1/projects/\(project)/simulatedSignIns' -d '{"providerId":"apple.com"}'

            Captured emails: \(base)/emulator/emails

            For Firebase's tools: export FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:\(port)
            Ctrl-C stops the gateway and its private PostgreSQL, if any.
            """
    }
}
