internal import Encoding

/// A form of a screen. Its submission becomes one request to the API, or opens the results of a search.
package struct Form: Sendable {
    /// Identifies the form on its page.
    let id: String
    /// The label of the button.
    let button: String
    var fields: [FormField]
    /// Whether the form edits the stored values that it shows. ``FormEdit`` then restricts a submission to what the
    /// user has changed.
    let editsStoredValues: Bool
    /// The `operationId` of the form's request, for a form that makes no request of the values that it shows.
    let operation: String?
    /// The names of the scopes that the request needs besides that of the operation.
    let scopes: [String]
    /// Whether the form deletes something.
    var isDangerous = false
    /// Says what happened, after the form was accepted. URLs contain it, so it contains no data of a person.
    let notice: String
    /// The page to show after the form was accepted; `nil` for the same page.
    var nextPath: (@Sendable (APIResult) throws -> String)?
    /// Returns what the page shows after the form was accepted, for a result that cannot be shown again, such as
    /// tokens; `nil` for a page without it.
    var resultMarkup: (@Sendable (APIResult, _ sent: APICall) -> [ScreenBlock])?
    /// As ``resultMarkup``, of the results of the first request and of the request that follows it.
    var resultsMarkup: (@Sendable (_ first: APIResult, _ last: APIResult) -> [ScreenBlock])?
    /// Whether only the page with the result of another form shows the form.
    var isOnResultPage = false
    /// The request that completes the change after the first one; `nil` if there is none.
    var followUp: (@Sendable (APIResult, FormInput) throws -> APICall)?
    let action: Action

    enum Action: Sendable {
        case request(@Sendable (FormInput) throws -> APICall)
        /// Opens the page of this path.
        case search(@Sendable (FormInput) throws -> String)
    }

    /// A value that no request can be made of.
    package struct InvalidField: Error {
        let name: String
        let problem: String

        package init(_ name: String, _ problem: String) {
            self.name = name
            self.problem = problem
        }
    }

    package init(
        _ id: String, button: String, _ fields: [FormField] = [], editsStoredValues: Bool = false,
        operation: String? = nil, scopes: [String] = [], isDangerous: Bool = false, notice: String,
        nextPath: (@Sendable (APIResult) throws -> String)? = nil,
        resultMarkup: (@Sendable (APIResult, _ sent: APICall) -> [ScreenBlock])? = nil,
        followUp: (@Sendable (APIResult, FormInput) throws -> APICall)? = nil,
        call: @escaping @Sendable (FormInput) throws -> APICall
    ) {
        self.id = id
        self.button = button
        self.fields = fields
        self.editsStoredValues = editsStoredValues
        self.operation = operation
        self.scopes = scopes
        self.isDangerous = isDangerous
        self.notice = notice
        self.nextPath = nextPath
        self.resultMarkup = resultMarkup
        self.followUp = followUp
        action = .request(call)
    }

    /// A search whose text must not be in a URL, as it would be if a browser sent it with GET.
    ///
    /// - Parameter results: returns the path of the page with the results.
    init(
        search id: String, button: String, _ fields: [FormField],
        results: @escaping @Sendable (FormInput) throws -> String
    ) {
        self.id = id
        self.button = button
        self.fields = fields
        editsStoredValues = false
        operation = nil
        scopes = []
        notice = ""
        action = .search(results)
    }

    var hasFiles: Bool {
        fields.contains { field in if case .file = field.kind { true } else { false } }
    }

    /// Rejects a submission without a required field. A browser checks this too.
    func requireFields(in input: FormInput) throws(InvalidField) {
        guard let missing = fields.first(where: { $0.isRequired && input[ByteText($0.name)].isEmpty }) else { return }
        throw InvalidField(missing.name, "\(missing.label): this field is required.")
    }

    /// The same form with submitted values, without passwords.
    func showing(_ input: FormInput) -> Form {
        var form = self
        for index in fields.indices {
            guard fields[index].showsValue else { continue }
            form.fields[index].value = input[ByteText(fields[index].name)]
        }
        return form
    }
}

/// Why a submitted form was rejected.
struct FormProblem: Sendable {
    let form: String
    /// `nil` if the problem concerns no single field.
    let field: String?
    let problem: Problem
}
