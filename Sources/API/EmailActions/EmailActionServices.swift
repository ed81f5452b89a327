public import Identity

/// The services that the endpoints of email actions use.
public struct EmailActionServices: Sendable {
    let sending: OOBSending
    let redemption: OOBRedemption
    /// For pages, which know a code but not its project.
    let pages: EmailActionService

    public init(
        sending: OOBSending, redemption: OOBRedemption, pages: EmailActionService
    ) {
        self.sending = sending
        self.redemption = redemption
        self.pages = pages
    }
}
