internal import HTML
public import Identity

/// A session as the account page lists it.
public struct AccountDevice: Sendable {
    let session: ID<Session>
    let method: SignInMethodName
    let userAgent: String?
    /// The name of the app that opened the session; `nil` if the gateway does not know the app.
    let app: String?
    let signedInAt: Instant
    let lastUsedAt: Instant
    let isCurrent: Bool
    /// Whether an administrator has the session, to help the user.
    let isSupportAccess: Bool

    public init(_ listed: ListedSession, current: Session, in realm: Realm) {
        session = listed.session.id
        method = SignInMethodName(listed.session.method, in: realm)
        userAgent = listed.session.device
        app = listed.app.flatMap { realm.project.name(of: $0) }
        signedInAt = listed.session.authenticatedAt
        lastUsedAt = listed.lastUsedAt
        isCurrent = listed.session.id == current.id
        isSupportAccess = listed.session.support != nil
    }
}

extension Page {
    /// The number of devices on one page.
    public static let deviceLimit = 10

    /// Lists the devices on which the user is signed in. The user can end each session, and all others at once.
    ///
    /// - Parameters:
    ///   - hasOthers: whether the account has another session than the current one.
    ///   - more: the query of the page with further devices; `nil` on the last page.
    public static func devices(
        _ devices: [AccountDevice], hasOthers: Bool, more: String?, _ frame: AccountFrame
    ) -> Page {
        let endOthers = [frame.form(.endOthers, [], [frame.button(.endOthers)]), frame.note(.endOthersHint)]
        return frame.page(
            .devices,
            [frame.form(.end, [], devices.map(frame.section))]
                + (more.map { [frame.link(.moreDevices, to: .devices, query: $0)] } ?? [])
                + (hasOthers ? endOthers : []) + [frame.link(.notYou, to: .secure)])
    }
}

extension AccountFrame {
    fileprivate func section(_ device: AccountDevice) -> Markup {
        let name =
            device.isSupportAccess
            ? Text.page(.supportDevice)
            : device.userAgent.map { DeviceDescription.text(userAgent: $0) } ?? .page(.unknownDevice)
        let app = device.app.map { [(name: AccountPageText.deviceApp, value: [Markup.isolated($0)])] } ?? []
        let facts = details(
            app + [
                (.signedInWith, device.method.label.markup(in: language)), (.signedInAt, [time(device.signedInAt)]),
                (.lastUsed, [time(device.lastUsedAt)]),
            ])
        let end =
            device.isCurrent
            ? note(.thisDevice)
            : button(
                .endSession, isSecondary: true,
                [
                    .name(AccountField.session.rawValue), .value(device.session.rawValue),
                    .label(string(.endSessionNamed, [.device: .text(name)])),
                ])
        return section(name.markup(in: language), [facts, end])
    }
}
