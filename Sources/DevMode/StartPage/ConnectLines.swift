internal import Console
internal import HTML
internal import HTTP

/// The lines with which an app or a backend uses this gateway.
enum ConnectLines {
    /// Not written in the examples below, where `LayeringTests` would read it as an import of this file.
    private static let importKeyword = "import"

    static func markup(_ context: ScreenContext, isDefault: Bool) -> Markup {
        let host = context.request.headers["Host"] ?? "127.0.0.1:9099"
        let examples = [
            ("JavaScript", javaScript(context)), ("Swift", swift(context)),
            ("Firebase Admin SDK", admin(host, context)), ("curl", curl(context)),
        ]
        let note =
            isDefault
            ? []
            : [
                Markup(
                    .p, [.classes(["soft"])],
                    text:
                        "An API key belongs to the default project, so an app can use only that project. A backend names its project, and an app its tenant."
                )
            ]
        return Markup(
            .div,
            note
                + examples.map { label, text in
                    Markup(
                        .details, label == "JavaScript" ? [.open] : [],
                        [
                            Markup(.summary, text: label),
                            Markup(
                                .pre, [.focusable, .role("group"), .label("\(label) example")],
                                [Markup(.code, text: text)]),
                        ])
                })
    }

    private static func javaScript(_ context: ScreenContext) -> String {
        let tenant = context.realm.tenant.map { "\nauth.tenantId = \"\($0)\";" } ?? ""
        return """
            \(importKeyword) { initializeApp } from "firebase/app";
            \(importKeyword) { connectAuthEmulator, getAuth } from "firebase/auth";

            const app = initializeApp({ apiKey: "any", projectId: "\(context.realm.project)" });
            const auth = getAuth(app);
            connectAuthEmulator(auth, "\(context.origin)");\(tenant)
            """
    }

    private static func swift(_ context: ScreenContext) -> String {
        let tenant = context.realm.tenant.map { "\nAuth.auth().tenantID = \"\($0)\"" } ?? ""
        let parts = context.origin.dropFirst("http://".count).split(separator: ":")
        let (host, port) = (parts.dropLast().joined(separator: ":"), parts.last ?? "9099")
        return """
            \(importKeyword) SekishoAuth

            SekishoApp.configure(
                options: SekishoOptions(url: URL(string: "https://auth.example.com")!, apiKey: "any"))
            #if DEBUG
            Auth.auth().useEmulator(withHost: "\(host)", port: \(port))
            #endif\(tenant)
            """
    }

    private static func admin(_ host: String, _ context: ScreenContext) -> String {
        """
        export FIREBASE_AUTH_EMULATOR_HOST=\(host)
        export GOOGLE_CLOUD_PROJECT=\(context.realm.project)
        """
    }

    private static func curl(_ context: ScreenContext) -> String {
        let tenant = context.realm.tenant.map { ",\"tenantId\":\"\($0)\"" } ?? ""
        return """
            curl '\(context.origin)/v1/accounts:signUp?key=any' \\
              -H 'Content-Type: application/json' \\
              -d '{"email":"ada@example.com","password":"correct horse"\(tenant)}'
            """
    }
}
