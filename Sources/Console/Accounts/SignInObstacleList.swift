internal import Encoding
internal import HTML
internal import JSON

/// What would stop a sign-in to an account now.
enum SignInObstacleList {
    static func block(_ result: APIResult, _ context: ScreenContext) -> ScreenBlock {
        guard let json = result.json, result.isSuccess else { return .problem(context.problem(result)) }
        let obstacles = json["obstacles"].elements
        guard !obstacles.isEmpty else { return .paragraph("Nothing is known to stop a sign-in.") }
        let summary =
            json["canSignIn"].isTrue
            ? "The user can sign in, but not in every way:" : "The user cannot sign in:"
        let items = obstacles.map { obstacle in
            let method = (obstacle["method"]?.text).map { [Markup.tag(Words.method($0)), .text(" ")] } ?? []
            return Markup(.li, method + [.text(obstacle["description"]?.text ?? "")])
        }
        return .markup(Markup(.div, [Markup(.p, text: summary), Markup(.ul, items)]))
    }
}
