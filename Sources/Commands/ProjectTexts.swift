internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let projectTexts = Command(
        words: ["projects", "texts"],
        summary: "List the texts with which a project replaces built-in ones",
        operand: .projectID,
        options: [.json],
        details: ["`sekisho projects apply` sets texts, with the member `texts` of a project file."],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let id = try ID<Project>(projectNamed: arguments.operand)
        try Administration.run { administration in
            guard let configuration = try await administration.configurations.configuration(of: ID(id)) else {
                throw Failure(message: "project \(id) does not exist")
            }
            let texts = configuration.realm.project.texts.all.map {
                TextResource(key: $0.key.rawValue, language: $0.language.rawValue, text: $0.text)
            }
            if arguments.has("json") { return try Terminal.writeJSON(texts) }
            Terminal.writeTable([["KEY", "LANGUAGE", "TEXT"]] + texts.map { [$0.key, $0.language, $0.text] })
        }
    }
}

/// A text as the command prints it.
private struct TextResource: Encodable {
    let key: String
    let language: String
    let text: String
}
