internal import Gateway
package import Identity

/// What `dev` prints once it answers: the first session, ready to be pasted.
package enum DevGreeting {
    package static func text(port: UInt16, project: ID<Project>, databaseURL: String) -> String {
        let base = "http://127.0.0.1:\(port)"
        return """
            Sekisho is ready: \(base)
            project: \(project)
            database: \(databaseURL)

            Sign up, and sign in:

              curl '\(base)/v1/accounts:signUp?key=any' -H 'content-type: application/json' \\
                -d '{"email":"ada@example.com","password":"correct horse"}'

              curl '\(base)/v1/accounts:signInWithPassword?key=any' -H 'content-type: application/json' \\
                -d '{"email":"ada@example.com","password":"correct horse"}'

            With the idToken and the refreshToken of the answer, look up and refresh:

              curl '\(base)/v1/accounts:lookup?key=any' -H 'content-type: application/json' \\
                -d '{"idToken":"..."}'

              curl '\(base)/v1/token?key=any' -d grant_type=refresh_token -d refresh_token=...

            Sign in with Apple, or with google.com; the answer has a postBody for accounts:signInWithIdp:

              curl '\(base)/emulator/v1/projects/\(project)/simulatedSignIns' -d '{"providerId":"apple.com"}'

            Mail that would have been sent: \(base)/emulator/mail

            Firebase's tools: export FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:\(port)
            Ctrl-C stops the gateway and its PostgreSQL.
            """
    }
}
