internal import Encoding
internal import HTML
internal import HTTP

/// Serves the forms of a screen.
package enum FormSubmission {
    /// What a submitted form leads to.
    package enum Outcome: Sendable {
        case redirect(String)
        case page(Screen)
    }

    /// The name of the field that contains the ID of the form.
    static let formField = "form"

    /// Performs the request of a submitted form.
    ///
    /// An accepted form leads to another page, so that a reload sends nothing again. A rejected form is the response
    /// itself, with status 400 and its values: a URL must contain neither these values nor the problem. A browser that
    /// goes back to this page therefore asks whether to send the form again.
    ///
    /// - Parameter screen: the screen as it is shown before the request, which has the form.
    package static func submit(_ screen: Screen, _ context: ScreenContext) async throws -> Outcome {
        let acceptsFiles = screen.forms.contains(where: \.hasFiles)
        guard let input = FormInput(context.request, acceptsFiles: acceptsFiles) else {
            return .page(rejected(400, "The form cannot be read."))
        }
        let id = input[.init(formField)]
        guard let form = screen.forms.first(where: { $0.id.isExactly(id) }) else {
            return .page(rejected(400, "The page has changed meanwhile. Open it again."))
        }
        guard
            context.forms.accepts(
                context.request, token: input[FormTokens.field], for: context.form(id), origin: context.origin)
        else {
            return .page(
                rejected(
                    403,
                    "The form did not come from a page of this gateway, or the gateway was restarted meanwhile. Nothing was changed. Open the page again."
                ))
        }
        return try await send(form, input, on: screen, context)
    }

    private static func send(
        _ form: Form, _ submitted: FormInput, on screen: Screen, _ context: ScreenContext
    ) async throws -> Outcome {
        var input = submitted
        let call: APICall
        do {
            if form.editsStoredValues {
                input = try FormEdit(form: form, context: context).changes(in: input)
                guard !input.isUnchanged else {
                    return .redirect(context.path(context.path, stating: "The form had the stored values."))
                }
            }
            try form.requireFields(in: input)
            switch form.action {
            case .search(let results): return .redirect(try results(input))
            case .request(let request): call = try request(input)
            }
        } catch let conflict as FormEdit.Conflict {
            return .page(screen.showing(conflict.problem(in: form), conflict.input))
        } catch let invalid as Form.InvalidField {
            return .page(screen.showing(invalid.problem(in: form), input))
        }
        let first = try await context.perform(call)
        var result = first
        if result.isSuccess, let followUp = form.followUp {
            do {
                result = try await context.perform(try followUp(result, input))
            } catch let invalid as Form.InvalidField {
                return .page(screen.showing(invalid.problem(in: form), input))
            }
        }
        guard result.isSuccess else { return try rejection(of: result, form, submitted, input, on: screen, context) }
        if let resultsMarkup = form.resultsMarkup {
            return .page(Screen(form.notice, resultsMarkup(first, result)))
        }
        if let resultMarkup = form.resultMarkup {
            return .page(Screen(form.notice, resultMarkup(result, call)))
        }
        return .redirect(context.path(try form.nextPath?(result) ?? context.path, stating: form.notice))
    }

    /// A person who may do it after a proof of both factors is led to the proof, and back to the form.
    private static func rejection(
        of result: APIResult, _ form: Form, _ submitted: FormInput, _ input: FormInput, on screen: Screen,
        _ context: ScreenContext
    ) throws -> Outcome {
        if let permissions = context.permissions, result.isRefusedWithoutProof,
            context.permission(for: form) == .needsProof
        {
            return .redirect(
                try FormDraft.confirmationPath(keeping: submitted, of: form, permissions, context))
        }
        let (problem, field) = context.problem(result).naming(form.fields)
        return .page(screen.showing(FormProblem(form: form.id, field: field, problem: problem), input))
    }

    /// Shows the values of a form that the person wanted to send before the confirmation.
    package static func resumed(_ screen: Screen, _ context: ScreenContext) -> Screen {
        FormDraft.shown(on: screen, context)
    }

    private static func rejected(_ status: Int, _ text: String) -> Screen {
        Screen("The form was rejected", status: status, [.paragraph(text)])
    }
}

extension Form.InvalidField {
    fileprivate func problem(in form: Form) -> FormProblem {
        FormProblem(form: form.id, field: name, problem: Problem(problem))
    }
}

extension APIResult {
    fileprivate var isRefusedWithoutProof: Bool {
        ["PERMISSION_DENIED", "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"].containsExactly(errorCode ?? "")
    }
}

extension Screen {
    /// The screen with a summary of the problem, and the submitted values without passwords.
    func showing(_ problem: FormProblem, _ input: FormInput) -> Screen {
        var screen = self
        screen.status = 400
        screen.problem = problem
        screen.blocks = blocks.map { $0.showing(problem.form, input) }
        return screen
    }
}

extension ScreenBlock {
    /// - Parameter id: of the form that shows the values.
    func showing(_ id: String, _ input: FormInput) -> ScreenBlock {
        switch self {
        case .markup: self
        case .form(let form): .form(form.id.isExactly(id) ? form.showing(input) : form)
        case .section(let title, let blocks): .section(title, blocks.map { $0.showing(id, input) })
        case .details(let title, let blocks): .details(title, blocks.map { $0.showing(id, input) })
        case .columns(let blocks): .columns(blocks.map { $0.showing(id, input) })
        }
    }
}
