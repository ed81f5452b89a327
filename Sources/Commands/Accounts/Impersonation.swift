internal import API
internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let impersonateUser = Command(
        words: ["users", "impersonate"],
        summary: "Print a code for which an app signs in as a user for 30 minutes, to help the user",
        operand: .user,
        options: [
            .project, .tenant,
            .text("app", "ID", "app that exchanges the code", isRequired: true),
            .text("continue-uri", "URL", "URL to which the app returns after a sign-in", isRequired: true),
            .text("reason", "TEXT", "why, for the audit trail", isRequired: true),
        ],
        details: [
            "The code works once, for five minutes, with the printed code verifier. The session reads the account and changes nothing. The user sees it in the list of sessions, and gets an email if SEKISHO_SMTP_URL is set, unless the policy notifiesSupportAccess is off; a running gateway sends it.",
            userDetail,
        ],
        environment: [
            "DATABASE_URL", "SEKISHO_MASTER_KEY", "SEKISHO_CONSOLE_PROJECT (optional)",
            "SEKISHO_SMTP_URL (optional)", "SEKISHO_EMAIL_FROM (required with SEKISHO_SMTP_URL)",
            "SEKISHO_SMTP_CA_FILE (optional)",
        ]
    ) { arguments in
        let (id, app) = (try arguments.realm(), ID<App>(try arguments.text("app")))
        let (target, reason) = (try arguments.text("continue-uri"), Reason(try arguments.text("reason")))
        try Administration.runOnSupportAccess { administration, codes in
            let realm = try await administration.requireRealm(id)
            let account = try await administration.accounts.requireAccount(arguments.operand, in: realm)
            let apps = try await administration.projects.apps(of: realm.project.id)
            guard let app = apps.first(where: { $0.app.id == app })?.app else {
                throw Failure(message: "project \(realm.project.id) has no app \(app)")
            }
            let issued = try await codes.issue(
                SupportAccessCodes.Request(
                    account: account.id, app: app, target: try AuthorizationTarget(target, of: app, in: realm),
                    reason: reason, challenge: nil),
                in: realm, by: .commandLine, from: .commandLine)
            try Terminal.writeJSON(ImpersonateAccountOutput(issued))
        }
    }
}
