internal import HTML
internal import Identity

extension Page {
    /// The title of the window. It begins with "Error" if the page returns a rejected form, so that a screen reader
    /// says so first (WCAG 2.2, 2.4.2 and 3.3.1).
    var windowTitle: String {
        let heading = context.string(title)
        let prefix = windowTitlePrefix.isEmpty && hasProblem ? context.string(.page(.rejectedForm)) : windowTitlePrefix
        return prefix + (context.projectName.map { "\(heading) – \($0)" } ?? heading)
    }

    /// Whether the content has the summary of a rejected form. No text of a user can look like the attribute, because
    /// quotation marks are escaped.
    private var hasProblem: Bool {
        content.contains { $0.html.contains(#" id="\#(ElementID.problem.rawValue)""#) }
    }

    /// Leads past what precedes the content. Visible only while it has the focus.
    var skipLink: Markup {
        Markup(.a, [.classes(.skip), .href(.content)], context.words(.page(.skipToContent)))
    }
}

extension Page.Context {
    /// The summary of a rejected form: announced and focused when the page opens, with a link to the field.
    ///
    /// - Parameter details: what follows the link.
    func problem(_ text: Text, with field: ElementID, _ details: [Markup] = []) -> Markup {
        Markup(
            .div, [.id(.problem), .role("alert"), .classes(.problem), .focusableByScript, .autofocus],
            [Markup(.p, [Markup(.a, [.href(.field(field))], words(text))])] + details)
    }
}
