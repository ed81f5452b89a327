internal import Encoding
package import HTML
package import HTTP

/// A form about the person who uses the console, such as the sign-in. Unlike a ``Form``, it becomes no request to the
/// API.
package struct PersonForm: Sendable {
    /// The path to which the form is sent.
    let path: String
    /// Identifies the form on its page.
    let id: String
    let button: String
    let fields: [FormField]
    /// Names and values that the form sends back unchanged.
    let kept: [(name: String, value: String)]
    let isQuiet: Bool
    /// The ceremony that the script of the page performs before it sends the form; `nil` for a form without script.
    let ceremony: ConsoleCeremony?

    package init(
        _ id: String, to path: String, button: String, _ fields: [FormField] = [],
        keeping kept: [(name: String, value: String)] = [], isQuiet: Bool = false,
        ceremony: ConsoleCeremony? = nil
    ) {
        self.id = id
        self.path = path
        self.button = button
        self.fields = fields
        self.kept = kept
        self.isQuiet = isQuiet
        self.ceremony = ceremony
    }

    /// - Parameter browser: to what the token of the form is bound besides the page.
    package func markup(_ forms: FormTokens, for browser: [UInt8]) -> Markup {
        let token = forms.token(for: .person(id, at: path, of: browser))
        let response: [(name: String, value: String)] =
            ceremony == nil ? [] : [(ConsoleCeremony.responseField, "")]
        let hidden = ([(FormSubmission.formField, id), (FormTokens.field.rawValue, token)] + kept + response).map {
            Markup.void(.input, [.type("hidden"), .name($0.0), .value($0.1)])
        }
        let button = Markup(.button, [.type("submit")] + (isQuiet ? [.classes(["quiet"])] : []), text: button)
        return Markup(
            .form,
            [.id(ElementID("\(id)-form")), .post, .action(URLReference(path))] + (ceremony?.attributes ?? []),
            hidden + fields.map { $0.markup(in: id, isInvalid: false) } + [button] + (ceremony?.status ?? []))
    }
}

/// A submitted ``PersonForm``.
package struct PersonFormInput: Sendable {
    package let form: String
    package let input: FormInput
    fileprivate let token: String

    /// - Returns: `nil` if the request contains no form.
    package init?(_ input: FormInput?) {
        guard let input else { return nil }
        self.input = input
        form = input[.init(FormSubmission.formField)]
        token = input[FormTokens.field]
    }
}

extension FormTokens {
    /// Whether a page of the console sent the form to this browser.
    package func accepts(
        _ submitted: PersonFormInput, in request: Request, of browser: [UInt8], origin: String
    ) -> Bool {
        accepts(
            request, token: submitted.token, for: .person(submitted.form, at: request.path, of: browser),
            origin: origin)
    }
}

extension FormTokens.Form {
    fileprivate static func person(_ id: String, at path: String, of browser: [UInt8]) -> Self {
        Self(browser: browser, action: "console/\(id)", subject: path)
    }
}
