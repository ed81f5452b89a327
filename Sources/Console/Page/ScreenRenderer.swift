internal import Encoding
package import HTML
internal import HTTP

/// Turns a screen's blocks into markup.
struct ScreenRenderer {
    let screen: Screen
    let context: ScreenContext

    /// The content of the element `main`.
    var content: [Markup] {
        [Markup(.h1, [.isolated(screen.title)])] + notice + summary + restriction
            + permitted(screen.blocks).map { markup(of: $0, below: 2) }
    }

    /// Says that the page lacks forms.
    private var restriction: [Markup] {
        guard let permissions = context.permissions,
            screen.forms.contains(where: { context.permission(for: $0) == .denied })
        else { return [] }
        return [
            Markup(
                .p, [.classes(["hint"])],
                text: "Your role in this project (\(permissions.role)) does not allow every change. "
                    + "The page lacks the forms that need another role.")
        ]
    }

    /// The blocks without the forms that the person's role does not allow. Stored values remain.
    private func permitted(_ blocks: [ScreenBlock]) -> [ScreenBlock] {
        blocks.compactMap { block in
            switch block {
            case .markup: block
            case .form(let form) where form.isOnResultPage: nil
            case .form(let form): context.permission(for: form) == .denied ? values(of: form) : block
            case .section(let title, let blocks): .section(title, permitted(blocks))
            case .details(let title, let blocks):
                permitted(blocks).isEmpty ? nil : .details(title, permitted(blocks))
            case .columns(let blocks): .columns(permitted(blocks))
            }
        }
    }

    private func values(of form: Form) -> ScreenBlock? {
        let fields = form.fields.filter { $0.showsValue && !$0.isHidden }
        guard form.editsStoredValues, !fields.isEmpty else { return nil }
        return .markup(
            .details(
                fields.map { field in
                    guard case .checkbox = field.kind else { return (field.label, .isolated(field.value)) }
                    return (field.label, .text(field.value.isEmpty ? "no" : "yes"))
                }))
    }

    /// Says what the form did that has led to the page.
    private var notice: [Markup] {
        if let id = screen.waitingForm {
            let form = Markup(.a, [.href(URLReference("#\(id)-form"))], text: "Look at the form and send it again")
            return [
                Markup(
                    .p, [.role("status"), .classes(["done"])],
                    [.text("You have confirmed that it is you. Nothing was changed yet. "), form, .text(".")])
            ]
        }
        guard screen.problem == nil, let text = context.provenNotice else { return [] }
        return [Markup(.p, [.role("status"), .classes(["done"])], text: text)]
    }

    /// The summary of a rejected form, which links to the form.
    private var summary: [Markup] {
        guard let problem = screen.problem else { return [] }
        let target = problem.field.map { "\(problem.form)-\($0)" } ?? "\(problem.form)-form"
        return [
            Markup(
                .div,
                [.role("alert"), .classes(["problem"]), .id(ElementID("problem")), .focusableByScript, .autofocus],
                [
                    Markup(.h2, text: "This did not work. Nothing was changed."),
                    problem.problem.markup(linkingTo: target),
                ])
        ]
    }

    private func markup(of block: ScreenBlock, below level: Int) -> Markup {
        switch block {
        case .markup(let markup): return markup
        case .form(let form): return markup(of: form)
        case .section(let title, let blocks):
            let heading = Markup(level == 2 ? .h2 : .h3, text: title)
            return Markup(.section, [heading] + blocks.map { markup(of: $0, below: 3) })
        case .details(let title, let blocks):
            let id = screen.problem?.form ?? screen.waitingForm
            let hasProblem = id.map { id in block.forms.contains { $0.id == id } } == true
            return Markup(
                .details, hasProblem ? [.open] : [],
                [Markup(.summary, text: title)] + blocks.map { markup(of: $0, below: level) })
        case .columns(let blocks):
            return Markup(.div, [.classes(["columns"])], blocks.map { markup(of: $0, below: level) })
        }
    }

    private func markup(of form: Form) -> Markup {
        let problem = screen.problem.flatMap { $0.form == form.id ? $0 : nil }
        let hidden: [Markup] =
            [
                .void(.input, [.type("hidden"), .name(FormSubmission.formField), .value(form.id)]),
                .void(
                    .input,
                    [
                        .type("hidden"), .name(FormTokens.field.rawValue),
                        .value(context.forms.token(for: context.form(form.id))),
                    ]),
            ] + (form.editsStoredValues ? [shown(by: form)] : [])
        let fields = form.fields.map { $0.markup(in: form.id, isInvalid: problem?.field == $0.name) }
        let button = Markup(
            .button, [.type("submit")] + (form.isDangerous ? [.classes(["danger"])] : []), text: form.button)
        let attributes: [Attribute] =
            [.id(ElementID("\(form.id)-form")), .post, .action(URLReference(context.path))]
            + (form.hasFiles ? [.multipart] : [])
        if case .search = form.action {
            let search: [Attribute] = [.classes(["search"]), .role("search"), .label(form.button)]
            return Markup(.form, attributes + search, hidden + fields + [button])
        }
        let buttons = Markup(.div, [.classes(["buttons"])], [button] + curl(of: form))
        return Markup(.form, attributes, hidden + fields + [buttons])
    }

    private func shown(by form: Form) -> Markup {
        .void(
            .input,
            [
                .type("hidden"), .name(FormEdit.shownField), .value(FormEdit(form: form, context: context).shown),
            ])
    }

    /// The command line for the form's request with the values that the form shows.
    private func curl(of form: Form) -> [Markup] {
        // Without a valid value in each field, there is no request to show.
        guard case .request(let request) = form.action, let call = try? request(FormInput(form.fields)) else {
            return []
        }
        let command = CurlCommand.text(call, base: context.origin, bearer: context.bearer)
        return [
            Markup(
                .details, [.classes(["curl"])],
                [Markup(.summary, [.label("curl for \(form.button)")], text: "curl"), .commandLine(command)])
        ]
    }
}

extension Markup {
    /// A command line to copy.
    package static func commandLine(_ text: String) -> Markup {
        Markup(.pre, [.focusable, .role("group"), .label("Command line")], [Markup(.code, text: text)])
    }
}
