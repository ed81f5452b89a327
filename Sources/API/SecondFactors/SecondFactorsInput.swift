internal import Identity

/// The second factors that an administrator lets an account keep.
struct SecondFactorsInput: Decodable {
    struct Enrollment: Decodable {
        let mfaEnrollmentId: String?
        let displayName: ProfileText?
        let phoneInfo: String?
        let totpInfo: PresenceOnly?
    }

    let enrollments: [Enrollment]?

    /// The factors of the list, each telephone number once. A one-time password must already be enrolled. A new number
    /// is enrolled.
    func kept() throws -> [KeptFactor] {
        var kept: [KeptFactor] = []
        for enrollment in enrollments ?? [] {
            var number: PhoneNumber?
            if enrollment.totpInfo == nil {
                number = enrollment.phoneInfo.flatMap(PhoneNumber.init)
                guard number?.isDiallable == true else { throw FactorRefusal.invalidNumber }
            }
            guard let id = enrollment.mfaEnrollmentId.nonEmpty else { throw FactorRefusal.missingID }
            guard id.utf8.count <= 128, !id.utf8.contains(0) else { throw FactorRefusal.missingID }
            if number != nil, kept.contains(where: { $0.phoneNumber == number }) { continue }
            kept.append(
                KeptFactor(
                    id: ID(id), phoneNumber: number, displayName: try enrollment.displayName.checkedName()?.content))
        }
        return kept
    }
}
