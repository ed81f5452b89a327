internal import Identity

/// A wording as text and as HTML: readable without style, without images, and without anything from elsewhere.
struct EmailLayout {
    let text: String
    let html: String

    /// - Parameter links: one for each action of the wording.
    init(_ wording: EmailTemplate, links: [String], language: Language) {
        let actions = Array(zip(wording.actions, links))
        let parts = [wording.paragraphs, actions.map { "\($0)\n\($1)" }, wording.advice].joined()
        text = parts.joined(separator: "\n\n") + "\n"
        let buttons = actions.map { Self.action($0, $1, wording.plainLink) }.joined()
        html = """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(wording.subject.htmlEscaped)</title>
            </head>
            <body style="margin:0;padding:24px;background:#ffffff;color:#1a1a1a;font:16px/1.6 sans-serif">
            <main style="max-width:36em;margin:0 auto">
            <h1 style="font-size:20px;line-height:1.4">\(wording.subject.htmlEscaped)</h1>
            \(Self.paragraphs(wording.paragraphs))\(buttons)\(Self.paragraphs(wording.advice))</main>
            </body>
            </html>

            """
    }

    private static func paragraphs(_ paragraphs: [String]) -> String {
        paragraphs.map { "<p>\($0.htmlEscaped)</p>\n" }.joined()
    }

    private static func action(_ label: String, _ link: String, _ plainLink: String) -> String {
        let link = link.htmlEscaped
        return """
            <p><a href="\(link)" style="display:inline-block;padding:12px 20px;background:#1a4fb4;color:#ffffff;\
            text-decoration:none;border-radius:6px">\(label.htmlEscaped)</a></p>
            <p>\(plainLink.htmlEscaped)<br>
            <a href="\(link)" style="color:#1a4fb4;word-break:break-all">\(link)</a></p>

            """
    }
}

extension String {
    /// For text and for attributes in double quotes.
    public var htmlEscaped: String {
        var escaped = ""
        for character in unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
