internal import Console
internal import Encoding
internal import Gateway
internal import HTML
internal import Identity
internal import SMTP
internal import Storage

extension StartPages {
    /// Lists the email action codes of a project or tenant: first the valid ones, then those of emails that cannot be
    /// used any more. Then lists the codes for telephone numbers.
    func codesScreen(_ context: ScreenContext) async throws -> Screen {
        let emails = await deliveredEmails(in: context.realm)
        let project = ID<Project>(context.realm.project)
        let realm = context.realm.tenant.map { ID<Realm>(ID<Tenant>($0), of: project) } ?? ID<Realm>(project)
        let codesByHash = self.emails.codesByHash
        let valid = try await OOBCodeLookup(pool: projects.pool)
            .unexpiredCodes(Array(codesByHash.keys), in: realm, at: clock.now)
        let validRows = valid.reversed().prefix(30).compactMap { entry in
            codesByHash[entry.hash].map { code in
                [
                    Markup.isolated(entry.newEmail ?? entry.email), .text(entry.purpose.rawValue),
                    Markup(.span, [.classes(["good"])], text: "valid"), Markup(.code, text: code),
                ]
            }
        }
        let codes = Set(valid.compactMap { codesByHash[$0.hash] })
        let spentRows = emails.prefix(15).filter { email in
            let links = email.links.filter { $0.containsBytes(of: "oobCode=") }
            return !links.isEmpty && !links.contains { link in codes.contains { link.containsBytes(of: $0) } }
        }
        .map { email in
            [
                Markup.isolated(email.message.to), .text(email.kind.rawValue),
                Markup.soft("used, replaced or expired"),
                .link(Self.path("/dev/emails/\(email.message.id)", context.realm), .text("Email")),
            ]
        }
        let phoneCodes = phoneCodes.codes(in: realm)
        let usable = try await PhoneCodeLookup(pool: projects.pool)
            .usableCodes(phoneCodes.map(\.hash), in: realm, at: clock.now)
        let phoneRows = phoneCodes.reversed().prefix(30).map { captured in
            let isUsable = usable.contains(captured.hash)
            return [
                Markup.isolated(captured.number.rawValue), .text(captured.purpose.rawValue),
                isUsable ? Markup(.span, [.classes(["good"])], text: "valid") : Markup.soft("used or expired"),
                Markup(.code, text: captured.code),
            ]
        }
        let rows = validRows + spentRows
        let headings = ["Recipient", "Purpose", "State", "Code"]
        return Screen(
            "Codes",
            [
                .section(
                    "Codes of emails",
                    rows.isEmpty
                        ? [.paragraph("No codes yet. An app requests a code when it sends an email to a user.")]
                        : [.markup(.table("Codes of emails", headings, rows))]),
                .section(
                    "Codes of text messages",
                    phoneRows.isEmpty
                        ? [
                            .paragraph(
                                "No codes yet. An app requests a code when a user signs in with a telephone number. No text message is sent."
                            )
                        ] : [.markup(.table("Codes of text messages", headings, phoneRows))]),
            ])
    }
}
