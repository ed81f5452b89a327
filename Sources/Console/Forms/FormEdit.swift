internal import Encoding
internal import HTTP

/// Restricts the submission of a form that edits stored values to what its user has changed. A page can be older than a
/// change by the account's user, or by another administrator, and a browser sends every field.
struct FormEdit {
    /// The name of the hidden field that proves which values the page has shown.
    static let shownField = "shown"

    let form: Form
    let context: ScreenContext

    /// The value of ``shownField``: for each stored value, in the order of the fields, a MAC that is bound to the form.
    /// It is not bound to the session: a person who proves the factors again gets a new one, and continues with the
    /// form.
    var shown: String { stored.map { context.forms.token(for: subject($0, $0.stored)) }.joined(separator: ".") }

    /// The fields with stored values.
    private var stored: [FormField] { form.fields.filter(\.showsValue) }

    private func subject(_ field: FormField, _ value: String) -> FormTokens.Form {
        FormTokens.Form(
            browser: [], action: "shown/\(form.id)/\(field.name)",
            subject: "\(context.path)\n\(value.withoutCarriageReturns)")
    }

    /// Compares the submitted values with those that the page has shown, and with the stored ones.
    ///
    /// - Returns: the stored values, with those that the user has changed.
    /// - Throws: ``Conflict`` if a value that the user has changed is another one meanwhile.
    func changes(in input: FormInput) throws(Conflict) -> FormInput {
        let fields = stored
        let tokens = input[.init(Self.shownField)].split(separator: ".").map(String.init)
        // Another release of the gateway made the page, with other fields.
        guard tokens.count == fields.count else { throw Conflict(fields: [], input: FormInput(form.fields)) }
        var (changed, outdated): (Set<ByteText>, Set<ByteText>) = ([], [])
        for (field, token) in zip(fields, tokens) {
            let name = ByteText(field.name)
            let isOutdated = !context.forms.isValid(token, for: subject(field, field.stored))
            if isOutdated { outdated.insert(name) }
            guard !field.isHidden else {
                changed.insert(name)
                continue
            }
            let submitted = input[name].withoutCarriageReturns
            guard !submitted.isExactly(field.stored.withoutCarriageReturns) else { continue }
            if !isOutdated || !context.forms.isValid(token, for: subject(field, submitted)) { changed.insert(name) }
        }
        let conflicts = fields.filter { field in
            changed.contains(.init(field.name))
                && ([field.name] + field.relatedFields).contains { outdated.contains(ByteText($0)) }
        }
        let unchanged = fields.filter { !changed.contains(.init($0.name)) } + conflicts
        let merged = input.editing(changed, restoring: unchanged)
        guard conflicts.isEmpty else {
            let names = conflicts.flatMap { [$0.name] + $0.relatedFields }.filter { outdated.contains(ByteText($0)) }
            throw Conflict(fields: fields.filter { names.containsExactly($0.name) }, input: merged)
        }
        return merged
    }

    /// Values were changed meanwhile that the user has changed too, or to which a change refers.
    struct Conflict: Error {
        /// The fields with these values; empty if the page has other fields.
        let fields: [FormField]
        /// What the form then shows: the stored values in place of those in conflict.
        let input: FormInput

        func problem(in form: Form) -> FormProblem {
            guard !fields.isEmpty else {
                return FormProblem(
                    form: form.id, field: nil,
                    problem: Problem("The page has changed meanwhile. The form now shows the stored values."))
            }
            let sentences = fields.map { "\($0.label): the stored value has changed meanwhile." }
            let advice = "The form now shows what is stored. Look at it, make your change again, and send the form."
            return FormProblem(
                form: form.id, field: fields.first { !$0.isHidden }?.name,
                problem: Problem((sentences + [advice]).joined(separator: " ")))
        }
    }
}

extension String {
    /// The text with the line ends that the gateway stores. Browsers send CR LF.
    fileprivate var withoutCarriageReturns: String { replacing("\r\n", with: "\n") }
}
