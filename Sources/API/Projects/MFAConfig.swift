internal import Identity

/// Identity Platform's `MultiFactorAuthConfig` in a response.
struct MFAConfig: Encodable {
    struct Provider: Encodable {
        struct TOTP: Encodable {
            let adjacentIntervals: Int
        }

        let state = "ENABLED"
        let totpProviderConfig: TOTP
    }

    let state: String
    let enabledProviders: [String]
    /// Absent if users cannot enrol one-time passwords.
    let providerConfigs: [Provider]?

    init(_ policy: SecondFactorPolicy) {
        state = MFAState(policy.state).rawValue
        enabledProviders = policy.allowsSMS ? [MFAProvider.phoneSMS.rawValue] : []
        providerConfigs =
            policy.allowsTOTP
            ? [Provider(totpProviderConfig: Provider.TOTP(adjacentIntervals: policy.adjacentIntervals))] : nil
    }
}

/// An update of Identity Platform's `MultiFactorAuthConfig`. Absent members do not change.
struct MFAConfigInput: Decodable {
    struct Provider: Decodable {
        struct TOTP: Decodable {
            let adjacentIntervals: Int?
        }

        let state: MFAState?
        let totpProviderConfig: TOTP?
    }

    let state: MFAState?
    let enabledProviders: [MFAProvider]?
    let providerConfigs: [Provider]?

    /// - Parameter path: the name of the member in the resource.
    func apply(
        to policy: inout SecondFactorPolicy, maskedBy mask: FieldMask, at path: String
    ) throws(RequestRefusal) {
        if mask.contains("\(path).enabledProviders"), let enabledProviders {
            policy.allowsSMS = enabledProviders.contains(.phoneSMS)
        }
        if mask.contains("\(path).providerConfigs"), let providerConfigs {
            try apply(providerConfigs, to: &policy, at: "/\(path)/providerConfigs")
        }
        if mask.contains("\(path).state"), let state = state?.policyState { policy.state = state }
    }

    /// In Firebase, the state of a provider alone turns one-time passwords on: its guides do not set the other state.
    private func apply(
        _ providers: [Provider], to policy: inout SecondFactorPolicy, at pointer: String
    ) throws(RequestRefusal) {
        guard providers.count <= 1 else { throw .invalidField(pointer, "must not have more than 1 item") }
        guard let provider = providers.first else {
            policy.allowsTOTP = false
            return
        }
        let state = provider.state?.policyState ?? .disabled
        guard provider.totpProviderConfig != nil || state == .disabled else {
            throw .invalidField("\(pointer)/0/totpProviderConfig", "must be present")
        }
        if let intervals = provider.totpProviderConfig?.adjacentIntervals {
            guard SecondFactorPolicy.adjacentIntervalRange.contains(intervals) else {
                throw .invalidField("\(pointer)/0/totpProviderConfig/adjacentIntervals", "must be 0 to 10")
            }
            policy.adjacentIntervals = intervals
        }
        policy.allowsTOTP = state != .disabled
        if self.state == nil, policy.allowsTOTP, policy.state == .disabled || state == .mandatory {
            policy.state = state
        }
    }
}

/// The wire's `MultiFactorAuthConfig.Provider`.
enum MFAProvider: String, WireEnum {
    case unspecified = "PROVIDER_UNSPECIFIED"
    case phoneSMS = "PHONE_SMS"
}

/// The wire's `MultiFactorAuthConfig.State`.
enum MFAState: String, WireEnum {
    case unspecified = "STATE_UNSPECIFIED"
    case disabled = "DISABLED"
    case enabled = "ENABLED"
    case mandatory = "MANDATORY"

    init(_ state: SecondFactorPolicy.State) {
        self =
            switch state {
            case .disabled: .disabled
            case .enabled: .enabled
            case .mandatory: .mandatory
            }
    }

    /// `nil` if the state is unspecified.
    var policyState: SecondFactorPolicy.State? {
        switch self {
        case .unspecified: nil
        case .disabled: .disabled
        case .enabled: .enabled
        case .mandatory: .mandatory
        }
    }
}
