internal import Encoding
internal import Identity
internal import Pages

/// Adding a telephone number, which a code proves.
extension AccountPageRequest {
    /// Whether the account can get a telephone number.
    var canAddPhone: Bool {
        account.phoneNumber == nil && services.signIn.phone.canLink(to: account, in: realm)
    }

    var phonePage: PageResponse {
        get throws {
            guard canAddPhone else { throw PhoneRefusal.notAllowed }
            return response(.addPhone(frame()))
        }
    }

    func submitPhone() async throws -> PageResponse {
        guard canAddPhone else { throw PhoneRefusal.notAllowed }
        let number = String((field(.phone) ?? "").unicodeScalars.prefix(Page.phoneNumberLimit))
        return field(.step) == AccountStep.confirm.rawValue
            ? try await confirmPhone(number) : try await sendCode(to: number)
    }

    /// Responds with the form for the code, and not with a redirection: what identifies the code must not be in a URL.
    private func sendCode(to number: String) async throws -> PageResponse {
        let pending: PendingPhoneNumber
        do {
            let enrolment = try await services.signIn.phone.sendCode(
                to: number, language: account.language, in: realm, from: requestContext)
            pending = PendingPhoneNumber(number: number, enrolment: enrolment)
        } catch let refusal as PhoneRefusal {
            guard let problem = PhoneProblem(refusal) else { throw refusal }
            return response(.addPhone(submitted: number, problem: problem, frame()), because: refusal)
        }
        return response(.confirmPhone(pending, frame()))
    }

    private func confirmPhone(_ number: String) async throws -> PageResponse {
        let enrolment = field(.enrolment) ?? ""
        do {
            let outcome = try await services.signIn.phone.link(
                code: Secret((field(.code) ?? "").filter { $0 != " " }), of: enrolment,
                to: IDTokenContents(account: account.id, session: caller.session.id), in: realm, from: requestContext)
            guard case .signedIn(let signedIn) = outcome else {
                return response(
                    .addPhone(submitted: number, problem: .taken, frame()), because: PhoneRefusal.numberTaken)
            }
            return try await done(.phone, at: .methods, replacingSessionBy: signedIn)
        } catch PhoneRefusal.invalidCode, PhoneRefusal.missingCode {
            let pending = PendingPhoneNumber(number: number, enrolment: enrolment)
            return response(.confirmPhone(pending, isRejected: true, frame()), because: PhoneRefusal.invalidCode)
        } catch let refusal as PhoneRefusal {
            guard let problem = PhoneProblem(refusal) else { throw refusal }
            return response(.addPhone(submitted: number, problem: problem, frame()), because: refusal)
        }
    }
}

extension PhoneProblem {
    /// - Returns: `nil` for a refusal that no other number avoids.
    fileprivate init?(_ refusal: PhoneRefusal) {
        switch refusal {
        case .invalidNumber, .missingNumber: self = .invalid
        case .numberTaken: self = .taken
        case .noSender, .regionNotAllowed, .quotaExceeded, .testNumber, .unsupportedFirstFactor: self = .unreachable
        default: return nil
        }
    }
}
