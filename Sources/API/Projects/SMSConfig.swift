internal import Encoding
internal import Identity

/// Identity Platform's `SmsRegionConfig` in a response: empty if no region is allowed.
struct SMSRegionConfig: Encodable {
    struct AllowByDefault: Encodable {
        let disallowedRegions: [String]
    }

    struct AllowlistOnly: Encodable {
        let allowedRegions: [String]
    }

    let allowByDefault: AllowByDefault?
    let allowlistOnly: AllowlistOnly?

    init(_ regions: SMSRegions) {
        switch regions {
        case .listed(let regions):
            (allowByDefault, allowlistOnly) = (nil, regions.isEmpty ? nil : AllowlistOnly(allowedRegions: regions))
        case .allExcept(let regions):
            (allowByDefault, allowlistOnly) = (AllowByDefault(disallowedRegions: regions), nil)
        }
    }
}

/// An update of Identity Platform's `SmsRegionConfig`, which is replaced as a whole.
struct SMSRegionConfigInput: Decodable {
    struct AllowByDefault: Decodable {
        let disallowedRegions: [String]?
    }

    struct AllowlistOnly: Decodable {
        let allowedRegions: [String]?
    }

    let allowByDefault: AllowByDefault?
    let allowlistOnly: AllowlistOnly?

    func apply(to settings: inout SMSSettings, maskedBy mask: FieldMask) throws(RequestRefusal) {
        guard mask.touches("smsRegionConfig") else { return }
        guard allowByDefault == nil || allowlistOnly == nil else {
            throw .invalidField("/smsRegionConfig", "must not have both allowByDefault and allowlistOnly")
        }
        settings.regions =
            allowByDefault.map { .allExcept($0.disallowedRegions ?? []) }
            ?? .listed(allowlistOnly?.allowedRegions ?? [])
    }
}

/// A field of the sender's form, with its template. Not a member of an object, whose name would be converted to
/// camelCase.
struct SMSFormField: Codable {
    let name: String
    let template: String

    static func all(_ fields: [ByteText: String]) -> [SMSFormField] {
        fields.sorted { $0.key < $1.key }.map {
            SMSFormField(name: $0.rawValue, template: $1)
        }
    }
}

/// The sender of text messages, and its limits, in a response. An extension.
struct SMSConfig: Encodable {
    let format: String
    let url: String?
    let username: String?
    let fields: [SMSFormField]?
    /// Not `hasSecret`, because a generator for Go makes a method of this name for the member `secret`.
    let isSecretStored: Bool
    let allowedCallingCodes: [String]
    let budgetPerDay: Int
    let perCallingCode: [ByteText: Int]?

    init(_ settings: SMSSettings) {
        format = settings.format.rawValue
        url = settings.url
        username = settings.username
        fields = settings.fields.isEmpty ? nil : SMSFormField.all(settings.fields)
        isSecretStored = settings.hasSecret
        allowedCallingCodes = settings.allowedCallingCodes
        budgetPerDay = settings.budgetPerDay
        perCallingCode = settings.perCallingCode.isEmpty ? nil : settings.perCallingCode
    }
}

/// An update of ``SMSConfig``. If the mask covers the whole object, or the request has no mask, absent members get
/// their defaults, except the secret.
struct SMSConfigInput: Decodable {
    enum Format: String, WireEnum {
        case webhook
        case form
    }

    let format: Format?
    let url: String?
    let username: String?
    let fields: [SMSFormField]?
    /// One or two signing secrets, separated by a space, or the password of a form. Empty removes the stored one.
    let secret: String?
    let allowedCallingCodes: [String]?
    let budgetPerDay: Int?
    let perCallingCode: [ByteText: Int]?

    func apply(to settings: inout SMSSettings, maskedBy mask: FieldMask) throws(RequestRefusal) {
        if mask.contains("sms") {
            settings = SMSSettings(
                hasSecret: settings.hasSecret, regions: settings.regions, testNumbers: settings.testNumbers)
        }
        if mask.contains("sms.format"), let format {
            settings.format = format == .webhook ? .webhook : .form
        }
        if mask.contains("sms.url"), let url { settings.url = url.isEmpty ? nil : url }
        if mask.contains("sms.username"), let username { settings.username = username.isEmpty ? nil : username }
        if mask.contains("sms.fields"), let fields {
            settings.fields = Dictionary(fields.map { (ByteText($0.name), $0.template) }, uniquingKeysWith: { $1 })
        }
        if mask.contains("sms.allowedCallingCodes"), let allowedCallingCodes {
            settings.allowedCallingCodes = allowedCallingCodes
        }
        if mask.contains("sms.budgetPerDay"), let budgetPerDay { settings.budgetPerDay = budgetPerDay }
        if mask.contains("sms.perCallingCode"), let perCallingCode { settings.perCallingCode = perCallingCode }
    }
}
