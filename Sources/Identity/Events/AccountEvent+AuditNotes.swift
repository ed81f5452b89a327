extension AccountEvent {
    /// The audit events about this event. If two accounts have changed, each of them is the subject of one, so that an
    /// administrator who lists the events of an account finds it.
    public var auditNotes: [AuditNote] {
        var detail = change.data.mapValues(\.auditText)
        switch change {
        // Users cause these at will, and the session itself states when it was opened.
        case .accountSignedUp, .sessionOpened: return []
        case .accountMerged(let source), .accountMergeUndone(let source), .identityMoved(_, let source):
            var sourceDetail = detail
            sourceDetail["source"] = nil
            sourceDetail["target"] = account.rawValue
            return [
                AuditNote(change.kind, account, detail), AuditNote(change.kind, source, sourceDetail),
            ]
        case .emailChanged(let provider):
            detail["provider"] = provider?.rawValue
            return [AuditNote(change.kind, account, detail)]
        default:
            return [AuditNote(change.kind, account, detail)]
        }
    }
}

extension AccountEvent.Change.Value {
    /// The value in the audit trail, where all details are texts.
    fileprivate var auditText: String {
        switch self {
        case .text(let text): text
        case .names(let names): names.joined(separator: " ")
        case .yes: "true"
        }
    }
}
