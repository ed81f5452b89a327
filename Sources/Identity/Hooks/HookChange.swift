/// A change of the account that a blocking function demands, in the transaction of the sign-in.
public struct HookChange: Hashable, Sendable {
    public let update: AccountUpdate
    public let events: [AccountEvent]
    public let recording: EventRecording

    init(_ update: AccountUpdate, of account: ID<Account>, isNew: Bool, in realm: Realm) {
        self.update = update
        var events: [AccountEvent] = []
        let fields = update.fields.filter { $0 != "disabled" }
        if !isNew, !fields.isEmpty { events.append(AccountEvent(.accountUpdated(fields: fields), of: account)) }
        if update.isDisabled == true { events.append(AccountEvent(.accountDisabled, of: account)) }
        self.events = events
        recording = realm.recording(by: .system)
    }
}
