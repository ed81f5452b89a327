internal import Encoding
package import HTTP
package import JSON

/// The method and the path of each operation of the contract, by `operationId`. Screens name operations only by their
/// `operationId`, so no screen can use a request that the contract lacks.
package struct OperationCatalog: Sendable {
    package struct Operation: Sendable {
        let method: HTTP.Method
        /// A template such as `/v1/projects/{project}/accounts`.
        let path: String

        package init(_ method: HTTP.Method, _ path: String) {
            self.method = method
            self.path = path
        }
    }

    /// The contract has no operation with this `operationId`.
    package struct UnknownOperation: Error {
        let operationID: String
    }

    private let operations: [String: Operation]

    package init(_ operations: [String: Operation]) {
        self.operations = operations
    }

    /// Returns the request for an operation on a project or tenant.
    ///
    /// For a tenant, the request uses the variant of the operation with the tenant in its path. If there is none, the
    /// query or the body names the tenant.
    ///
    /// - Parameter parameters: the parameters of the path, without the project and the tenant.
    package func call(
        _ operationID: String, in realm: RealmName, parameters: [String: String] = [:],
        query: [APICall.Parameter] = [], body: JSONObject? = nil, credential: APICall.Credential = .administrator
    ) throws -> APICall {
        let variant = realm.tenant == nil ? nil : operations[operationID + "InTenant"]
        guard let operation = variant ?? operations[operationID] else {
            throw UnknownOperation(operationID: operationID)
        }
        var values = parameters
        values["project"] = realm.project
        if variant != nil { values["tenant"] = realm.tenant }
        var call = APICall(
            operation.method, Self.path(operation.path, values), query: query, body: body, credential: credential)
        call.operation = operationID
        guard let tenant = realm.tenant, variant == nil, !operation.path.utf8.starts(with: "/v2/projects/".utf8) else {
            return call
        }
        if body == nil {
            call.query.append(APICall.Parameter("tenantId", tenant))
        } else {
            call.body?["tenantId"] = .string(tenant)
        }
        return call
    }

    private static func path(_ template: String, _ values: [String: String]) -> String {
        values.reduce(template) { path, value in
            path.replacing("{\(value.key)}", with: PercentEncoding.encode(value.value))
        }
    }
}

/// The project or tenant whose accounts a screen shows.
package struct RealmName: Sendable {
    package let project: String
    package let tenant: String?

    package init(project: String, tenant: String?) {
        self.project = project
        self.tenant = tenant
    }
}
