internal import Identity

/// The passkey settings of a project in a response.
struct PasskeyConfig: Encodable {
    let enabled: Bool
    /// Absent until passkeys are enabled for the first time.
    let rpId: String?
    let origins: [String]
    let relatedOrigins: [String]
    let topOrigins: [String]

    init(_ settings: PasskeySettings) {
        enabled = settings.isEnabled
        rpId = settings.rpID
        origins = settings.origins
        relatedOrigins = settings.relatedOrigins
        topOrigins = settings.topOrigins
    }
}

/// An update of the passkey settings. Absent members do not change.
struct PasskeyConfigInput: Decodable {
    let enabled: Bool?
    let rpId: String?
    let origins: [String]?
    let relatedOrigins: [String]?
    let topOrigins: [String]?

    func apply(to settings: inout PasskeySettings, maskedBy mask: FieldMask) {
        if mask.contains("passkeys.enabled"), let enabled { settings.isEnabled = enabled }
        if mask.contains("passkeys.rpId"), let rpId = rpId.nonEmpty { settings.rpID = rpId }
        if mask.contains("passkeys.origins"), let origins { settings.origins = origins }
        if mask.contains("passkeys.relatedOrigins"), let relatedOrigins { settings.relatedOrigins = relatedOrigins }
        if mask.contains("passkeys.topOrigins"), let topOrigins { settings.topOrigins = topOrigins }
    }
}
