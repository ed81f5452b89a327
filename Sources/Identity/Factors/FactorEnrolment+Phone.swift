/// Telephone numbers as second factors.
extension FactorEnrolment {
    /// Sends a code to a number that the caller enrols.
    ///
    /// - Parameter text: the number; `nil` if the request has no member for it.
    /// - Returns: the wire's `sessionInfo`.
    public func startPhone(
        idToken: String, number text: String??, in realm: Realm, from context: RequestContext
    ) async throws -> String {
        let caller = try await supportedCaller(idToken, in: realm)
        guard let text else { throw FactorRefusal.missingMember("phoneEnrollmentInfo") }
        let number = try phoneCodes.number(text, in: realm)
        try requireEnrollable(number, by: caller, in: realm)
        return try await phoneCodes.send(
            to: number, for: .enrolment, of: PhoneCode.AccountBinding(caller.account), in: caller.account.language,
            in: realm, from: context)
    }

    /// Enrols a number that the code of `verification` proves, as ``finalize(idToken:_:displayName:in:from:)`` does.
    public func finalizePhone(
        idToken: String, _ verification: Verification?, displayName: String?, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignedIn {
        let caller = try await supportedCaller(idToken, in: realm)
        guard let verification else { throw FactorRefusal.missingMember("phoneVerificationInfo") }
        guard verification.code != nil else { throw FactorRefusal.missingCode }
        let proof = try await phoneCodes.check(
            verification.code, of: verification.sessionInfo, for: .enrolment,
            boundTo: { $0 == PhoneCode.AccountBinding(caller.account) }, in: realm, from: context.network)
        try requireEnrollable(proof.number, by: caller, in: realm)
        try limiter.countCredentialChange(of: caller.account.id, in: realm)
        let factor = Factor(
            id: secrets.newID(), kind: .phone, phoneNumber: proof.number, displayName: displayName,
            enrolledAt: clock.now())
        let notice = try emailFactory.factorAddedNotice(
            of: factor, to: caller.account, by: realm.policy, from: context)
        return try await replaceSession(
            of: caller, secondFactor: SessionFactor(.phone, factor.id), with: .enrollPhone(factor, proof: proof),
            sending: notice, in: realm, from: context)
    }

    private func requireEnrollable(_ number: PhoneNumber, by caller: Caller, in realm: Realm) throws {
        let factors = caller.account.secondFactors.factors
        guard factors.allSatisfy({ $0.phoneNumber != number }) else { throw FactorRefusal.numberExists }
        guard factors.count < SecondFactors.limit else { throw FactorRefusal.limitExceeded }
        // The code of a test number is known to more people than the owner.
        guard !realm.isTestNumber(number) else { throw FactorRefusal.testNumber }
        try caller.requireRecentLogin(by: realm.policy, at: clock.now())
    }
}
