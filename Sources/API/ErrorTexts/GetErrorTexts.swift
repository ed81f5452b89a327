internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// What an app shows to users for each error code. The texts change only with a release, so clients cache them.
    static let getErrorTexts = unauthenticated("getErrorTexts", "/v1/errorTexts") { call in
        let language = call.language(tag: call.request.query("hl"), in: nil)
        let tag = "\"\(Release.version)-\(language.rawValue)\""
        let isKnown = call.request.headers["If-None-Match"]?.split(separator: ",").contains { known in
            known.drop { $0 == " " }.isExactly(tag[...])
        }
        var response = isKnown == true ? Response(status: 304) : try .json(ErrorTexts(language))
        response.headers.add("ETag", tag)
        response.headers.add("Cache-Control", "public, max-age=3600")
        response.headers.add("Content-Language", language.rawValue)
        response.headers.add("Vary", "Accept-Language")
        return response
    }
}

/// The response of `getErrorTexts`.
private struct ErrorTexts: Encodable {
    struct Text: Encodable {
        let title: String
        let text: String
        let action: String
    }

    let texts: [String: Text]

    init(_ language: Language) {
        var entries: [String: ErrorTextEntry] = [:]
        for entry in ErrorTextTable.entries {
            for code in entry.codes { entries[code] = entry }
        }
        texts = Dictionary(
            uniqueKeysWithValues: ErrorCode.allCases.map { code in
                let entry = entries[code.rawValue] ?? ErrorTextTable.general
                let (title, text) = entry.key.wording(in: ErrorTextLanguage(tag: language.rawValue))
                return (code.rawValue, Text(title: "\(title)", text: "\(text)", action: entry.action.rawValue))
            })
    }
}
