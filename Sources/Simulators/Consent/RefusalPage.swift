internal import HTML
internal import HTTP

/// The page that an authorization endpoint shows when it rejects a request. The browser is not redirected with the
/// error, because the redirect URI cannot be trusted.
struct RefusalPage {
    let language: ConsentLanguage
    let provider: String
    /// The error code of OAuth.
    let code: String
    let explanation: String?
    /// What the developer can do about the error.
    let advice: String?

    func response() -> Response {
        let title = language.text("\(provider) rejects this request (simulated)", "\(provider)がリクエストを拒否しました（シミュレーター）")
        let details =
            [(language.text("Error", "エラー"), code)]
            + (explanation.map { [(language.text("Reason", "理由"), $0)] } ?? [])
        return SimulatorPage(language: language, title: title).response(
            [Markup(.dl, [.classes(.details)], details.flatMap { [Markup(.dt, text: $0), Markup(.dd, text: $1)] })]
                + (advice.map { [Markup(.p, text: $0)] } ?? []), status: 400)
    }
}

extension RefusalPage {
    static func unknownClient(_ id: String, in language: ConsentLanguage) -> String {
        language.text(
            "No project has the client ID \(id). Add it to the provider's client IDs in the project.",
            "クライアントID \(id) は、どのプロジェクトにも登録されていません。プロジェクトのプロバイダー設定にクライアントIDを追加してください。")
    }

    static func unknownRedirectURI(_ uri: String, in language: ConsentLanguage) -> String {
        language.text(
            """
            \(uri) is not registered. In dev mode, URLs on this machine need no registration. Add other URLs to the \
            simulators' redirectUris (PATCH /emulator/v1/projects/{project}/simulators).
            """,
            """
            \(uri) は登録されていません。開発モードでは、このコンピューターのURLは登録不要です。それ以外のURLは、シミュレーターのredirectUris\
            （PATCH /emulator/v1/projects/{project}/simulators）に追加してください。
            """)
    }
}
