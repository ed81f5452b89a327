extension OOBRedemption {
    /// An account that has come back.
    public struct Separated: Hashable, Sendable {
        /// `nil` if another account has the address by now.
        public let email: Email?
        /// Sets a new password for it; `nil` without an address, and where the project allows no passwords.
        public let resetCode: String?

        public init(email: Email?, resetCode: String?) {
            self.email = email
            self.resetCode = resetCode
        }
    }

    /// Undoes a merge by the link that was sent to the source's address; see ``MergeReversal``.
    public func undoMerge(_ code: String?, in project: Project, from origin: Origin) async throws -> Separated {
        for _ in 0..<Self.attempts {
            let found = try await check(code, for: [.undoMerge], in: project)
            let now = with.clock.now()
            let reset = project.policy.allowsPasswords ? with.outOfBand.newCode() : nil
            let undoing = MergeUndoing(
                code: found.code, resetHash: reset.map(with.outOfBand.hash),
                resetExpiresAt: now + OOBCode.Purpose.resetPassword.lifetime(by: project.policy), trace: origin.trace,
                undoneAt: now)
            switch try await codes.undoMerge(undoing, in: project.id) {
            case .done(let source):
                return Separated(email: source.email, resetCode: undoing.reset(of: source) == nil ? nil : reset)
            case .stale: continue
            case .impossible: throw OOBCodeRefusal.invalid
            }
        }
        throw Overloaded()
    }
}
