internal import Encoding
internal import HTTP

/// The values of a form that wait while the person proves both factors again. The form then shows them.
enum FormDraft {
    /// The parameter of the query with the encrypted values.
    static let parameter = "draft"
    /// A longer draft does not fit into a URL. The form is then shown without the values.
    private static let limit = 3000

    /// Returns the path on which the person confirms, and which leads back to the form.
    static func confirmationPath(
        keeping input: FormInput, of form: Form, _ permissions: Permissions, _ context: ScreenContext
    ) throws -> String {
        let fields = form.fields.filter(\.showsValue).map(\.name)
        let names = [FormSubmission.formField] + (form.editsStoredValues ? [FormEdit.shownField] : []) + fields
        let pairs = names.map { ($0, input[.init($0)]) }.filter { !$0.1.isEmpty }
        let full = try permissions.drafts.seal(PercentEncoding.encode(form: pairs), context.realm)
        let formOnly = try permissions.drafts.seal(
            PercentEncoding.encode(form: [(FormSubmission.formField, form.id)]), context.realm)
        let draft = full.utf8.count <= limit ? full : formOnly
        return permissions.confirmationPath(ConsolePath.withQuery(context.path, parameter, draft))
    }

    /// Returns the screen with the form's values, if the query has a draft for this screen; otherwise the same screen.
    static func shown(on screen: Screen, _ context: ScreenContext) -> Screen {
        guard let draft = context.request.query(.init(parameter)),
            let text = context.permissions?.drafts.open(draft, context.realm),
            let pairs = FormDecoder.decode(Array(text.utf8)),
            let form = screen.forms.first(where: { form in
                pairs.contains { $0.name == .init(FormSubmission.formField) && $0.value.isExactly(form.id) }
            })
        else { return screen }
        // Without values, the form shows its own.
        guard let input = FormInput(pairs), pairs.count > 1 else { return screen.asking(toSend: form, nil) }
        guard form.editsStoredValues else { return screen.asking(toSend: form, input) }
        do throws(FormEdit.Conflict) {
            return screen.asking(toSend: form, try FormEdit(form: form, context: context).changes(in: input))
        } catch {
            return screen.showing(error.problem(in: form), error.input)
        }
    }
}

extension Screen {
    fileprivate func asking(toSend form: Form, _ input: FormInput?) -> Screen {
        var screen = self
        screen.waitingForm = form.id
        if let input { screen.blocks = blocks.map { $0.showing(form.id, input) } }
        return screen
    }
}
