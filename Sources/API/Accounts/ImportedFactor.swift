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
    let phoneInfo: String?
    let totpInfo: TOTP?
}

extension ImportedUser {
    /// What happens to the second factors of imported users.
    public enum FactorTreatment: Sendable {
        /// Factors are stored.
        ///
        /// - Parameters:
        ///   - dropsWithoutSecret: whether one-time passwords without secrets are left out instead of rejected.
        ///     Firebase exports no secrets.
        ///   - isDemanded: whether the realm asks for second factors.
        case stored(dropsWithoutSecret: Bool, isDemanded: Bool)
        case dropped
        case rejected
    }

    /// Returns the second factors to import, without those that are left out.
    ///
    /// - Parameter now: replaces a missing time of enrolment.
    func factors(
        treated treatment: FactorTreatment, enrolledAt now: Instant, _ changes: inout Set<Change>
    ) throws(Fault) -> [AccountAdministration.ImportedFactor] {
        guard let factors = mfaInfo, !factors.isEmpty else { return [] }
        switch treatment {
        case .rejected: throw .hasSecondFactor
        case .dropped:
            changes.insert(.secondFactorsWereDropped)
            return []
        case .stored(let dropsWithoutSecret, let isDemanded):
            let numbers = factors.compactMap(\.phoneInfo)
            guard factors.count <= SecondFactors.limit, factors.count(where: { $0.totpInfo != nil }) <= 1,
                Set(numbers).count == numbers.count
            else { throw .severalFactors }
            guard factors.compactMap(\.mfaEnrollmentId.nonEmpty).map(ByteText.init).firstDuplicate == nil else {
                throw .factorIDIsRepeated
            }
            var imported: [AccountAdministration.ImportedFactor] = []
            for factor in factors {
                let proof = try factor.proof(dropsWithoutSecret: dropsWithoutSecret)
                guard let proof else {
                    changes.insert(.secondFactorsWereDropped)
                    continue
                }
                imported.append(try factor.imported(provenBy: proof, enrolledAt: now, &changes))
            }
            if !imported.isEmpty, !isDemanded { changes.insert(.secondFactorIsNotDemanded) }
            return imported
        }
    }
}

extension ImportedFactor {
    /// - Returns: `nil` for a one-time password without secret that is left out.
    fileprivate func proof(
        dropsWithoutSecret: Bool
    ) throws(ImportedUser.Fault) -> AccountAdministration.ImportedFactor.Proof? {
        guard let totpInfo else {
            guard let phoneInfo else { throw .hasSecondFactor }
            guard let number = PhoneNumber(phoneInfo), number.isDiallable else { throw .factorPhoneNumberIsInvalid }
            return .phone(number)
        }
        guard let text = totpInfo.sharedSecretKey.nonEmpty else {
            guard dropsWithoutSecret else { throw .factorSecretIsMissing }
            return nil
        }
        guard let secret = Base32.decode(text), (10...64).contains(secret.count) else { throw .factorSecretIsInvalid }
        return .totp(secret: secret)
    }

    fileprivate func imported(
        provenBy proof: AccountAdministration.ImportedFactor.Proof, enrolledAt now: Instant,
        _ changes: inout Set<ImportedUser.Change>
    ) throws(ImportedUser.Fault) -> AccountAdministration.ImportedFactor {
        let id = mfaEnrollmentId ?? ""
        guard id.utf8.count <= 128, !id.utf8.contains(0) else { throw .factorIDIsInvalid }
        let time = enrolledAt.nonEmpty.map { Instant(iso8601: $0) }
        guard let enrolledAt = time ?? now else { throw .timeIsInvalid }
        return AccountAdministration.ImportedFactor(
            id: mfaEnrollmentId.nonEmpty.map { ID($0) }, displayName: (displayName?.importedName(&changes)).nonEmpty,
            enrolledAt: enrolledAt, proof: proof)
    }
}
