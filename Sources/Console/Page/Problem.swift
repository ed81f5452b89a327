internal import Encoding
internal import HTML

/// Why a request was rejected.
package struct Problem: Sendable, Equatable {
    /// The error code; `nil` for an error without one, such as an invalid field of a form.
    let code: String?
    /// What is wrong in this request; `nil` if the code says it all.
    let message: String?
    /// What the code means, and what the developer can do.
    let explanation: String?

    private static let invalidBody = "Invalid JSON payload received. "

    init(_ message: String) {
        (code, self.message, explanation) = (nil, message, nil)
    }

    /// - Parameter message: of the API. It can begin with the code, and with words about JSON, which the user of a form
    ///   did not write.
    init(code: String?, message: String, explanation: String?) {
        self.code = code
        self.explanation = explanation
        var rest = message[...]
        for prefix in [code, " : ", Self.invalidBody].compactMap(\.self) where rest.beginsExactly(with: prefix) {
            rest = rest.dropFirst(prefix.count)
        }
        self.message = rest.isEmpty ? nil : String(rest)
    }

    /// The parts of the problem.
    ///
    /// - Parameter target: the element to which the first part links.
    func markup(linkingTo target: String? = nil) -> Markup {
        let code = code.map { Markup(.code, text: $0) }
        let parts = [code, message.map { Markup.isolated($0) }, explanation.map { Markup.text($0) }].compactMap(\.self)
        return Markup(
            .div,
            parts.enumerated().map { index, part in
                guard index == 0, let target else { return Markup(.p, [part]) }
                return Markup(.p, [Markup(.a, [.href(URLReference("#\(target)"))], [part])])
            })
    }

    /// The problem with the label of a field in place of its JSON pointer, and the name of the field.
    func naming(_ fields: [FormField]) -> (problem: Problem, field: String?) {
        for field in fields {
            let advice = "Set \(field.name) to true"
            guard let message, message.utf8.firstRange(of: advice.utf8) != nil else { continue }
            let text = message.replacing(advice, with: "Tick the box \u{201C}\(field.label)\u{201D}")
            return (Problem(code: code, message: text, explanation: nil), field.name)
        }
        let words = message?.split(separator: " ") ?? []
        for pointer in words where pointer.utf8.first == UInt8(ascii: "/") {
            guard let name = pointer.split(separator: "/").last,
                let field = fields.first(where: { $0.name.isExactly(name) })
            else { continue }
            let text = message?.replacing(pointer, with: field.label, maxReplacements: 1) ?? ""
            // The message alone says what is wrong. The code is about requests, which the user of a form did not write.
            let isPlain = code?.isExactly("INVALID_ARGUMENT") == true
            return (
                Problem(code: isPlain ? nil : code, message: text, explanation: isPlain ? nil : explanation), field.name
            )
        }
        return (self, nil)
    }
}
