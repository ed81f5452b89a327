internal import API
internal import Console
internal import HTTP
internal import Identity

/// What the pages about the person who is signed in have in common, and the sign-out.
extension ConsolePages {
    /// What a page of the person who is signed in has.
    func state(of person: ConsolePerson, at path: String, problem: String? = nil) -> SignInScreens.State {
        SignInScreens.State(target: path, forms: forms, browser: browser(of: person), problem: problem)
    }

    /// Leads to the page on which a person proves both factors again, and back.
    static func redirectToProof(for path: String) -> Response {
        redirect(to: ConsolePath.withQuery(SignInScreens.path, "continue", path))
    }

    /// Serves a form about the person who is signed in.
    func servingPersonForm(
        _ call: EndpointCall,
        _ body: (ConsolePerson, PersonFormInput, inout ConsoleCookies) async throws -> Response
    ) async throws -> Response {
        try await serving(call) { cookies in
            guard let reference = cookies[.session], let person = try await signIn.person(reference)?.person else {
                return redirectToSignIn(call)
            }
            guard let submitted = PersonFormInput(FormInput(call.request)),
                forms.accepts(submitted, in: call.request, of: browser(of: person), origin: url())
            else { return formRejected(call) }
            return try await body(person, submitted, &cookies)
        }
    }

    func signOut(_ call: EndpointCall) async throws -> Response {
        try await servingPersonForm(call) { person, _, cookies in
            try await signIn.signOut(person, from: call.context)
            cookies.remove(.session)
            var response = Self.redirect(to: SignInScreens.path)
            response.headers.add("Clear-Site-Data", "\"cache\"")
            return response
        }
    }
}
