extension OOBCodeRedeemer {
    /// Undoes a merge with a code that was sent to the address of the source, the account that the merge deleted; see
    /// ``MergeReversal``.
    public func undoMerge(_ code: String?, in realm: Realm, from context: RequestContext) async throws
        -> RemedyResult
    {
        return try await retryingConflicts { _ in
            let found = try await check(code, for: [.undoMerge], in: realm)
            let now = clock.now()
            let secret = emailFactory.newCode()
            let undoing = MergeUndoing(
                code: found.code, resetHash: realm.policy.allowsPasswords ? emailFactory.hash(secret) : nil,
                resetExpiresAt: now + OOBCode.Purpose.resetPassword.lifetime(by: realm.policy),
                recording: realm.recording(by: .user(context.trace)), undoneAt: now)
            let source = try await mappingConflicts(to: \.refusalOfUndo) {
                try await codes.undoMerge(undoing, in: realm.id)
            }
            let resetCode = undoing.resetCode(of: source).map { IssuedCode(secret: secret, record: $0) }
            return RemedyResult(account: source, resetCode: resetCode)
        }
    }
}

extension StoreConflict {
    fileprivate var refusalOfUndo: (any Refusal)? {
        switch self {
        case .taken, .alreadyUsed, .notFound, .lastSignInMethod: OOBCodeRefusal.invalid
        case .stale: nil
        }
    }
}
