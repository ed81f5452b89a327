import HTTP
import Testing

@testable import Support

extension Exchange {
    /// Returns the email action code that the page's form contains. Fails the test if no form contains one.
    func requiredFormCode() throws -> String { try #require(formCode) }

    /// Names of the checkboxes on a page.
    var checkboxes: [String] {
        text.matches(of: #/name="([^"]+)" type="checkbox"/#).map { String($0.output.1) }
    }
}

extension TestGateway {
    /// Opens the action page (the page of a link in an email) with a code and further query parameters.
    func openActionPage(_ code: String, _ more: [String: String] = [:]) async throws -> Exchange {
        let query = ["oobCode": code].merging(more) { $1 }.map { (name: $0.key, value: $0.value) }
        return try await send(.get, "/__/auth/action", body: [], query: query)
    }

    /// Submits the form of the action page with a code and further fields.
    func submitActionPage(_ code: String, _ more: [String: String] = [:]) async throws -> Exchange {
        try await submitForm("/__/auth/action", ["oobCode": code].merging(more) { $1 })
    }

    /// Submits a form. Encodes only the spaces of its fields.
    func submitForm(_ path: String, _ fields: [String: String]) async throws -> Exchange {
        let body = fields.map { "\($0.key)=\($0.value.replacing(" ", with: "+"))" }.joined(separator: "&")
        return try await send(
            .post, path, body: Array(body.utf8), query: [],
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
    }
}
