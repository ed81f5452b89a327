internal import Identity
internal import JSON
internal import Pages

/// The message that the script of a page passes to the frame of Firebase's SDK.
struct EventDelivery: Encodable {
    struct Event: Encodable {
        struct Failure: Encodable {
            let code: String
            let message: String
        }

        let type: String
        let eventId: String?
        /// The redirect URI with the grant, which is the secret that the SDK redeems for the result of the sign-in (see
        /// ``FlowResultSecrets``). The SDK sends the URI as `requestUri`. `nil` after a failure.
        let urlResponse: String?
        let sessionId: String?
        let tenantId: String?
        let error: Failure?
    }

    /// `popup`: the frame is in the window that opened the page. `page`: the frame finds the event in the tab's
    /// storage.
    let mode: String
    /// Identifies the frame: the API key and the name of the SDK's app, separated by a colon.
    let key: String
    /// The ID of the event, which the frame's acknowledgement contains.
    let id: String
    /// The key of the event in the tab's storage (`sessionStorage`); used only in the mode `page`.
    let storageKey: String
    /// The URL of the app's page to which the browser returns; empty if the URL was not accepted.
    let returnTo: String
    /// Whether the script waits for a click before it delivers the event.
    let waits: Bool
    let event: Event

    private init(_ sdk: SDKEvent, isPopup: Bool, returnTo: String, waits: Bool, _ event: Event) {
        mode = isPopup ? "popup" : "page"
        key = SDKFrame.key(apiKey: sdk.apiKey, appName: sdk.appName)
        id = sdk.eventID ?? ""
        storageKey = "sekisho:redirectEvent:\(key)"
        self.returnTo = returnTo
        self.waits = waits
        self.event = event
    }

    /// The message about a completed sign-in.
    ///
    /// - Parameter uri: the redirect URI with the grant in its query.
    init(_ sdk: SDKEvent, isPopup: Bool, returnTo: AuthorizationTarget, uri: String, sessionID: String?) {
        self.init(
            sdk, isPopup: isPopup, returnTo: returnTo.text, waits: false,
            Event(
                type: sdk.type, eventId: sdk.eventID, urlResponse: uri, sessionId: sessionID, tenantId: sdk.tenant,
                error: nil))
    }

    /// The message about a failed sign-in.
    ///
    /// - Parameter returnTo: `nil` if the URL of the app's page was not accepted.
    init(_ sdk: SDKEvent, isPopup: Bool, returnTo: AuthorizationTarget?, failure: FlowProblem) {
        self.init(
            sdk, isPopup: isPopup, returnTo: returnTo?.text ?? "", waits: failure.waitsForClick,
            Event(
                type: sdk.type, eventId: sdk.eventID, urlResponse: nil, sessionId: nil, tenantId: sdk.tenant,
                error: Event.Failure(code: failure.sdkCode, message: failure.refusalCode)))
    }

    func json() throws -> String { try StrictJSON.text(self) }
}
