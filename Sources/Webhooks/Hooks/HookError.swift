internal import Encoding
internal import JSON

/// The error of a function that refuses: `{"error":{"status","message","details"}}`.
struct HookError {
    /// The maximum length of the message in characters.
    private static let messageLimit = 500
    private static let detailsLimit = 2000

    /// The error as JSON.
    let text: String
    let message: String?

    init?(_ body: [UInt8]) {
        guard let json = try? StrictJSON.decode(JSONValue.self, from: body), case .object(let members) = json,
            case .object(let error)? = members["error"]
        else { return nil }
        var shown: JSONObject = [:]
        for name: ByteText in ["status", "message", "details"] {
            switch error[name] {
            case .string(let text)?:
                shown[name] = .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.messageLimit))))
            case .object(let details)? where name == "details":
                let value = JSONValue.object(details)
                if value.encodedText.utf8.count <= Self.detailsLimit { shown[name] = value }
            default: break
            }
        }
        if case .string(let message)? = shown["message"] { self.message = message } else { message = nil }
        text = JSONValue.object(["error": .object(shown)]).encodedText
    }
}
