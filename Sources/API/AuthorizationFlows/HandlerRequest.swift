internal import Encoding
internal import HTTP
internal import Identity
internal import JSON

/// The query with which Firebase's JavaScript SDK opens the handler.
struct HandlerRequest {
    /// The maximum length of a key, a name or an ID, in bytes.
    private static let nameLimit = 256
    /// The maximum length of the scopes and the custom parameters together, in bytes.
    private static let parametersLimit = 4096

    let apiKey: String
    let provider: ProviderID
    let operation: AuthorizationFlow.Operation
    let isPopup: Bool
    let event: SDKEvent
    /// The URL of the app's page, unchecked.
    let page: String
    let scopes: [String]
    let customParameters: [ByteText: String]

    init(_ request: Request) throws(AuthorizationRefusal) {
        // Returns a parameter of the query, which must not be longer than `nameLimit`.
        func value(_ name: ByteText) throws(AuthorizationRefusal) -> String? {
            guard let text = request.query(name).nonEmpty else { return nil }
            guard text.utf8.count <= Self.nameLimit else { throw .malformedStart }
            return text
        }
        guard request.repeatedParameter == nil else { throw .malformedStart }
        guard let apiKey = try value("apiKey"), let appName = try value("appName"),
            let provider = try value("providerId"), let type = try value("authType"),
            let (operation, isPopup) = Self.authTypes[ByteText(type)], let page = request.query("redirectUrl").nonEmpty
        else { throw .malformedStart }
        self.apiKey = apiKey
        self.provider = ProviderID(provider)
        self.operation = operation
        self.isPopup = isPopup
        self.page = page
        event = SDKEvent(
            type: type, eventID: try value("eventId"), apiKey: apiKey, appName: appName, tenant: try value("tid"))
        let (scopes, parameters) = (request.query("scopes") ?? "", request.query("customParameters").nonEmpty ?? "{}")
        guard scopes.utf8.count + parameters.utf8.count <= Self.parametersLimit else { throw .malformedStart }
        self.scopes = scopes.split(separator: ",").map(String.init)
        do {
            customParameters = try StrictJSON.decode([ByteText: String].self, from: Array(parameters.utf8))
        } catch {
            throw .malformedStart
        }
    }

    /// For each value of `authType`: the operation, and whether the SDK opened a popup.
    private static let authTypes: [ByteText: (AuthorizationFlow.Operation, isPopup: Bool)] = [
        "signInViaPopup": (.signIn, true), "linkViaPopup": (.link, true), "reauthViaPopup": (.reauthenticate, true),
        "signInViaRedirect": (.signIn, false), "linkViaRedirect": (.link, false),
        "reauthViaRedirect": (.reauthenticate, false),
    ]
}

extension AuthorizationResponse {
    /// - Parameter parameter: returns the value of a parameter of the query or of the posted form.
    init(_ parameter: (ByteText) -> String?) {
        self.init(
            code: parameter("code"), issuer: parameter("iss"), error: parameter("error").nonEmpty,
            name: parameter("user").flatMap(IdpCredential.FullName.init(appleUser:))?.personName)
    }
}
