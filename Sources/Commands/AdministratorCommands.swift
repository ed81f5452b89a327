internal import Gateway
internal import Identity

extension Command {
    static let inviteAdministrator = Command(
        words: ["administrators", "invite"],
        summary: "Invite a person to the console, and print the link of the invitation as JSON",
        operand: Operand(placeholder: "EMAIL", noun: "email address"),
        options: [
            .choice("role", "ROLE", AdministratorRole.names, "what the person may do", isRequired: true),
            .text("project", "ID", "the only project in which the role applies", defaultNote: "all projects"),
        ],
        details: [
            "The link works once, for 24 hours. The person then proves the address by an email from the gateway, sets a password and enrolls an authenticator app. The link alone gives no access.",
            "Creates the project that SEKISHO_CONSOLE_PROJECT names if it does not exist. The gateway must send emails (SEKISHO_SMTP_URL).",
        ],
        tables: [HelpTable(title: "Roles", rows: AdministratorRole.allCases.map { ($0.rawValue, $0.help) })],
        environment: consoleEnvironment
    ) { arguments in
        let role: AdministratorRole = try arguments.choice("role")
        let project = arguments.optionalText("project").map { ID<Project>($0) }
        try Administration.runOnAdministrators(creatingProject: true) { administration, administrators in
            if let project { try await administration.requireRealm(ID(project)) }
            let invitation = try await administrators.invite(
                email: arguments.operand, as: role, in: try project ?? administrators.operators(), by: .commandLine,
                .commandLine, from: .commandLine)
            try Terminal.writeJSON(PrintedInvitation(invitation))
        }
    }

    static let listAdministrators = Command(
        words: ["administrators", "list"],
        summary: "List the people who use the console",
        options: [
            .text("project", "ID", "the project whose own administrators are listed", defaultNote: "all projects"),
            .json,
        ],
        environment: consoleEnvironment
    ) { arguments in
        let project = arguments.optionalText("project").map { ID<Project>($0) }
        try Administration.runOnAdministrators { administration, administrators in
            if let project { try await administration.requireRealm(ID(project)) }
            let listed = try await administrators.list(in: project ?? administrators.operators())
            try Terminal.writeList(
                [["ID", "EMAIL", "ROLE", "INVITED UNTIL"]]
                    + listed.map {
                        [
                            $0.account.rawValue, $0.email?.rawValue ?? "", $0.role.rawValue,
                            $0.invitationExpiresAt?.iso8601 ?? "",
                        ]
                    }, arguments)
        }
    }

    static let removeAdministrator = Command(
        words: ["administrators", "remove"],
        summary: "Remove the role of a person, and end the person's sessions in the console",
        operand: Operand(placeholder: "ID", noun: "account ID"),
        options: [
            .text("project", "ID", "the project whose role is removed", defaultNote: "the role in all projects")
        ],
        details: ["ID is the ID that `sekisho administrators list` prints."],
        environment: consoleEnvironment
    ) { arguments in
        let project = arguments.optionalText("project").map { ID<Project>($0) }
        try Administration.runOnAdministrators { administration, administrators in
            if let project { try await administration.requireRealm(ID(project)) }
            let change = AdministratorChange(
                ID(arguments.operand), in: try project ?? administrators.operators(), to: nil)
            let removed = try await administrators.change(
                change, by: .commandLine, .commandLine, from: .commandLine)
            Terminal.writeLine("removed the role \(removed.role.rawValue) of \(removed.account)")
        }
    }

    private static let consoleEnvironment = [
        "DATABASE_URL", "SEKISHO_MASTER_KEY", "SEKISHO_CONSOLE_PROJECT", "SEKISHO_CONSOLE_URL (optional)",
        "SEKISHO_PUBLIC_URL (required without SEKISHO_CONSOLE_URL)",
    ]
}

extension AdministratorRole {
    fileprivate var help: String {
        switch self {
        case .viewer: "read accounts, the configuration and the audit trail"
        case .support:
            "also disable and enable accounts, end their sessions, and send emails that verify an address or reset a password"
        case .administrator: "also edit, link, merge and delete accounts, and change settings"
        case .owner: "also change whose tokens are accepted, and manage administrators"
        }
    }
}

private struct PrintedInvitation: Encodable {
    let localId: String
    let email: String?
    let role: String
    let invitationUri: String
    let invitationExpiresAt: String?

    init(_ invitation: Invitation) {
        localId = invitation.administrator.account.rawValue
        email = invitation.administrator.email?.rawValue
        role = invitation.administrator.role.rawValue
        invitationUri = invitation.uri
        invitationExpiresAt = invitation.administrator.invitationExpiresAt?.iso8601
    }
}
