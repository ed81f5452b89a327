internal import Encoding
internal import Identity

/// A second factor of an imported user, unchecked.
struct ImportedFactor: Decodable, Sendable {
    struct TOTP: Decodable, Sendable {
        let sharedSecretKey: String?
    }

    let mfaEnrollmentId: String?
    let displayName: ProfileText?
    let enrolledAt: String?
    let totpInfo: TOTP?
}

extension ImportedUser {
    /// What happens to the second factors of imported users.
    public enum FactorTreatment: Sendable {
        /// One-time passwords are stored; telephone numbers are rejected.
        ///
        /// - Parameters:
        ///   - dropsWithoutSecret: whether one-time passwords without secrets are left out instead of rejected. Firebase
        ///     exports no secrets.
        ///   - isDemanded: whether the realm asks for second factors.
        case stored(dropsWithoutSecret: Bool, isDemanded: Bool)
        case dropped
        case rejected
    }

    /// Returns the one-time password to import; `nil` if the user has none, or if it is left out.
    ///
    /// - Parameter now: replaces a missing time of enrolment.
    func totp(
        treated treatment: FactorTreatment, enrolledAt now: Instant, _ changes: inout Set<Change>
    ) throws(Fault) -> AccountAdministration.ImportedTOTP? {
        guard let factors = mfaInfo, let factor = factors.first else { return nil }
        switch treatment {
        case .rejected: throw .hasSecondFactor
        case .dropped:
            changes.insert(.secondFactorsWereDropped)
            return nil
        case .stored(let dropsWithoutSecret, let isDemanded):
            guard factors.allSatisfy({ $0.totpInfo != nil }) else { throw .hasSecondFactor }
            guard factors.count == 1 else { throw .severalFactors }
            guard let text = factor.totpInfo?.sharedSecretKey.nonEmpty else {
                guard dropsWithoutSecret else { throw .factorSecretIsMissing }
                changes.insert(.secondFactorsWereDropped)
                return nil
            }
            if !isDemanded { changes.insert(.secondFactorIsNotDemanded) }
            return try factor.totp(withSecret: text, enrolledAt: now, &changes)
        }
    }
}

extension ImportedFactor {
    fileprivate func totp(
        withSecret text: String, enrolledAt now: Instant, _ changes: inout Set<ImportedUser.Change>
    ) throws(ImportedUser.Fault) -> AccountAdministration.ImportedTOTP {
        guard let secret = Base32.decode(text), (10...64).contains(secret.count) else { throw .factorSecretIsInvalid }
        let id = mfaEnrollmentId ?? ""
        guard id.utf8.count <= 128, !id.utf8.contains(0) else { throw .factorIDIsInvalid }
        let time = enrolledAt.nonEmpty.map { Instant(iso8601: $0) }
        guard let enrolledAt = time ?? now else { throw .timeIsInvalid }
        return AccountAdministration.ImportedTOTP(
            id: mfaEnrollmentId.nonEmpty.map { ID($0) }, displayName: (displayName?.importedName(&changes)).nonEmpty,
            enrolledAt: enrolledAt, secret: secret)
    }
}
