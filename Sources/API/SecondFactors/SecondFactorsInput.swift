internal import Identity

/// The second factors that an administrator lets an account keep.
struct SecondFactorsInput: Decodable {
    struct Enrollment: Decodable {
        let mfaEnrollmentId: String?
        let displayName: ProfileText?
        let totpInfo: PresenceOnly?
    }

    let enrollments: [Enrollment]?

    /// Telephone numbers, which Firebase's Admin SDKs write, are not implemented.
    func kept() throws -> [KeptFactor] {
        try (enrollments ?? []).map { enrollment in
            guard enrollment.totpInfo != nil else { throw RequestRefusal.notImplemented("mfa") }
            guard let id = enrollment.mfaEnrollmentId.nonEmpty else { throw FactorRefusal.missingID }
            return KeptFactor(id: ID(id), displayName: try enrollment.displayName.checkedName()?.content)
        }
    }
}
