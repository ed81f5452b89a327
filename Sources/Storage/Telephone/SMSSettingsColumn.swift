internal import Encoding
internal import Identity

/// The JSON in the column `realm.sms_settings`. Ignores unknown members, which a newer release may have written.
struct SMSSettingsColumn: Codable {
    let format: String?
    let url: String?
    let username: String?
    let fields: [ByteText: String]?
    let allowedCallingCodes: [String]?
    /// At most one of the two lists is present.
    let allowedRegions: [String]?
    let disallowedRegions: [String]?
    let budgetPerDay: Int?
    let perCallingCode: [ByteText: Int]?
    let testNumbers: [ByteText: String]?

    init(_ settings: SMSSettings) {
        format = settings.format == .webhook ? nil : settings.format.rawValue
        url = settings.url
        username = settings.username
        fields = settings.fields.isEmpty ? nil : settings.fields
        allowedCallingCodes = settings.allowedCallingCodes.isEmpty ? nil : settings.allowedCallingCodes
        switch settings.regions {
        case .listed(let regions): (allowedRegions, disallowedRegions) = (regions.isEmpty ? nil : regions, nil)
        case .allExcept(let regions): (allowedRegions, disallowedRegions) = (nil, regions)
        }
        budgetPerDay = settings.budgetPerDay == SMSSettings().budgetPerDay ? nil : settings.budgetPerDay
        perCallingCode = settings.perCallingCode.isEmpty ? nil : settings.perCallingCode
        testNumbers = settings.testNumbers.isEmpty ? nil : settings.testNumbers
    }

    func settings(hasSecret: Bool) -> SMSSettings {
        SMSSettings(
            format: format.flatMap(SMSSettings.Format.init) ?? .webhook, url: url, username: username,
            fields: fields ?? [:], hasSecret: hasSecret, allowedCallingCodes: allowedCallingCodes ?? [],
            regions: disallowedRegions.map { .allExcept($0) } ?? .listed(allowedRegions ?? []),
            budgetPerDay: budgetPerDay ?? SMSSettings().budgetPerDay, perCallingCode: perCallingCode ?? [:],
            testNumbers: testNumbers ?? [:])
    }
}
