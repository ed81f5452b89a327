// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

func module(_ name: String, in folder: String = "Sources", imports: [String] = [], resources: [Resource] = [])
    -> Target
{
    .target(
        name: name, dependencies: imports.map { .init(stringLiteral: $0) }, path: "\(folder)/\(name)",
        resources: resources, swiftSettings: settings)
}

/// The settings of SekishoAuth, the library for apps, which imports no module of the gateway. Apps use the package in
/// `Sources/Client`, whose settings are the same; this package compiles the library for its tests.
let clientSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func platform(_ name: String, imports: [String] = []) -> Target {
    module(name, in: "Sources/Platform", imports: imports)
}

func tests(_ name: String, in folder: String = "Tests", imports: [String], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name, dependencies: imports.map { .init(stringLiteral: $0) }, path: "\(folder)/\(name)",
        resources: resources, swiftSettings: settings)
}

func platformTests(_ name: String, imports: [String] = [], resources: [Resource] = []) -> Target {
    tests(name, in: "Tests/Platform", imports: imports, resources: resources)
}

let package = Package(
    name: "sekisho",
    targets: [
        .target(name: "SekishoAuth", path: "Sources/Client/SekishoAuth", swiftSettings: clientSettings),
        .systemLibrary(name: "CSystem", path: "Sources/Platform/CSystem"),
        .systemLibrary(name: "CCBOR", path: "Sources/Platform/CCBOR"),
        .systemLibrary(name: "CQREncode", path: "Sources/Platform/CQREncode"),
        // Overrides `mmap` in every executable that contains Crypto, so that the memory of Argon2id hashes gets huge
        // pages.
        .target(name: "CHugePages", path: "Sources/Platform/CHugePages"),
        // Lists the read-only memory of the executable and its shared libraries, which the gateway can release because
        // the kernel can read it again from the files.
        .target(name: "CProgramPages", path: "Sources/Platform/CProgramPages"),
        // Embeds openapi.yaml, and the JSON file and the HTML page that Deploy/contract generates from it.
        .target(name: "CReference", path: "Sources/CReference", exclude: ["openapi.json", "reference.html"]),
        platform("EventLoop", imports: ["CSystem"]),
        platform("Encoding"),
        platform("DomainNames", imports: ["CSystem"]),
        platform("IPAddresses", imports: ["Encoding"]),
        platform("JSON", imports: ["Encoding"]),
        platform("HTML"),
        platform("QRCode", imports: ["CQREncode", "HTML"]),
        platform("Crypto", imports: ["CHugePages", "CSystem", "Encoding"]),
        platform("JOSE", imports: ["Crypto", "Encoding", "JSON"]),
        platform("CBOR", imports: ["CCBOR", "Encoding"]),
        platform("WebAuthn", imports: ["CBOR", "Crypto", "Encoding", "JSON"]),
        platform("Curl", imports: ["CSystem", "EventLoop", "IPAddresses"]),
        platform("HTTP", imports: ["CSystem", "Curl", "Encoding", "EventLoop", "IPAddresses"]),
        platform("SMTP", imports: ["CSystem", "Curl", "Encoding", "EventLoop", "IPAddresses"]),
        platform("Postgres", imports: ["CSystem", "EventLoop", "IPAddresses"]),
        platform("PrivatePostgres", imports: ["CSystem", "Encoding", "EventLoop"]),
        platform("Telemetry", imports: ["Encoding"]),
        module("Identity", imports: ["DomainNames", "Encoding"]),
        module("Passwords", imports: ["Crypto", "Encoding", "EventLoop", "HTTP", "Identity"]),
        module("Providers", imports: ["Crypto", "Encoding", "HTTP", "Identity", "JOSE", "JSON"]),
        module("Tokens", imports: ["Crypto", "Encoding", "Identity", "JOSE", "JSON"]),
        module("Webhooks", imports: ["Crypto", "Encoding", "HTTP", "IPAddresses", "Identity", "JSON"]),
        module(
            "Storage", imports: ["Encoding", "EventLoop", "Identity", "JSON", "Postgres"],
            resources: [.embedInCode("Migrations")]),
        module("Pages", imports: ["Encoding", "HTML", "HTTP", "Identity", "QRCode"]),
        module(
            "API",
            imports: ["CReference", "Encoding", "HTTP", "IPAddresses", "Identity", "JSON", "Pages", "Telemetry"]),
        module("Email", imports: ["EventLoop", "HTML", "Identity", "Pages", "SMTP"]),
        module("Console", imports: ["Crypto", "Encoding", "HTML", "HTTP", "JSON", "QRCode"]),
        module(
            "Gateway",
            imports: [
                "API", "CProgramPages", "Console", "Crypto", "Email", "Encoding", "EventLoop", "HTML", "HTTP",
                "IPAddresses", "Identity", "JSON", "Pages", "Passwords", "Postgres", "Providers", "SMTP", "Storage",
                "Telemetry", "Tokens", "WebAuthn", "Webhooks",
            ]),
        module("Simulators", imports: ["Crypto", "Encoding", "EventLoop", "HTML", "HTTP", "JOSE", "JSON"]),
        module(
            "DevMode",
            imports: [
                "API", "Console", "Crypto", "Email", "Encoding", "EventLoop", "Gateway", "HTML", "HTTP", "Identity",
                "JSON", "Postgres", "PrivatePostgres", "Providers", "SMTP", "Simulators", "Storage", "Telemetry",
                "Tokens",
            ]),
        module(
            "Commands",
            imports: [
                "API", "Crypto", "DevMode", "Email", "Encoding", "EventLoop", "Gateway", "HTTP", "Identity", "JOSE",
                "JSON", "Postgres", "Providers", "SMTP", "Storage", "Telemetry", "Tokens",
            ]),
        .executableTarget(name: "sekisho", dependencies: ["Commands"], swiftSettings: settings),
        module(
            "WebAuthnSupport", in: "Tests", imports: ["CBOR", "CCBOR", "Crypto", "Encoding", "JSON"]),
        module(
            "Support", in: "Tests",
            imports: [
                "API", "Crypto", "DevMode", "Encoding", "EventLoop", "Gateway", "HTTP", "IPAddresses", "Identity",
                "JOSE", "JSON", "Passwords", "Postgres", "PrivatePostgres", "Providers", "Simulators", "Storage",
                "Telemetry", "Tokens", "WebAuthnSupport", "Webhooks",
            ]),
        platformTests("EventLoopTests", imports: ["CSystem", "EventLoop"]),
        platformTests("EncodingTests", imports: ["Encoding"]),
        platformTests("DomainNamesTests", imports: ["DomainNames"]),
        platformTests("IPAddressesTests", imports: ["CSystem", "IPAddresses"]),
        platformTests("JSONTests", imports: ["Encoding", "JSON"]),
        platformTests("HTMLTests", imports: ["HTML"]),
        platformTests("QRCodeTests", imports: ["HTML", "QRCode"]),
        platformTests("CryptoTests", imports: ["CHugePages", "Crypto", "Encoding"]),
        platformTests(
            "JOSETests", imports: ["Crypto", "Encoding", "JOSE", "JSON"], resources: [.embedInCode("Vectors")]),
        platformTests("CBORTests", imports: ["CBOR", "Encoding"]),
        platformTests(
            "WebAuthnTests", imports: ["CBOR", "Crypto", "Encoding", "JSON", "WebAuthn", "WebAuthnSupport"],
            resources: [.embedInCode("Vectors")]),
        platformTests("HTTPTests", imports: ["CSystem", "Encoding", "EventLoop", "HTTP"]),
        platformTests("SMTPTests", imports: ["CSystem", "SMTP"]),
        platformTests("PostgresTests", imports: ["EventLoop", "Postgres", "PrivatePostgres"]),
        platformTests("TelemetryTests", imports: ["Telemetry"]),
        tests("IdentityTests", imports: ["Encoding", "Identity", "Providers"]),
        tests(
            "PasswordsTests",
            imports: ["Crypto", "Encoding", "EventLoop", "HTTP", "Identity", "Passwords", "Simulators"]),
        tests(
            "ProvidersTests",
            imports: ["Crypto", "Encoding", "EventLoop", "HTTP", "Identity", "JOSE", "JSON", "Providers", "Simulators"]),
        tests("TokensTests", imports: ["Crypto", "Encoding", "Identity", "Tokens"]),
        tests("WebhooksTests", imports: ["Crypto", "EventLoop", "HTTP", "Identity", "Webhooks"]),
        tests(
            "StorageTests", imports: ["Encoding", "Identity", "JSON", "Postgres", "Providers", "Storage", "Support"]),
        tests("PagesTests", imports: ["Crypto", "Encoding", "HTML", "HTTP", "Identity", "Pages", "Providers"]),
        tests("APITests", imports: ["API", "Encoding", "HTTP", "IPAddresses", "Identity", "Pages", "Providers"]),
        tests("EmailTests", imports: ["Email", "EventLoop", "HTML", "Identity", "Pages", "Providers", "SMTP"]),
        tests("SimulatorsTests", imports: ["Crypto", "Encoding", "HTTP", "JOSE", "JSON", "Simulators"]),
        tests(
            "GatewayTests",
            imports: [
                "API", "Crypto", "DevMode", "Email", "Encoding", "Gateway", "HTTP", "IPAddresses", "Identity", "JOSE",
                "JSON", "Postgres", "Providers", "SMTP", "Simulators", "Storage", "Support", "Telemetry", "Tokens",
                "WebAuthn", "WebAuthnSupport", "Webhooks",
            ]),
        tests("ConsoleTests", imports: ["Console", "Crypto", "Encoding", "HTML", "HTTP", "JSON"]),
        tests(
            "DevModeTests",
            imports: ["API", "DevMode", "Encoding", "HTTP", "Identity", "JSON", "Providers", "Telemetry"]),
        tests(
            "CommandsTests", imports: ["Commands", "Crypto", "Encoding", "Gateway", "Identity", "JSON", "Providers"]),
        tests(
            "SekishoAuthTests", in: "Tests/Client",
            imports: ["DevMode", "Identity", "SekishoAuth", "Simulators", "Support"]),
        tests(
            "RepositoryTests",
            imports: [
                "API", "DevMode", "Encoding", "Gateway", "HTTP", "Identity", "JSON", "Pages", "Postgres", "Storage",
            ]),
    ]
)

// `Deploy/fuzz` sets this variable. Other builds leave the fuzz targets out, because only libFuzzer can link them.
if Context.environment["SEKISHO_FUZZING"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzzing",
            dependencies: [
                "CBOR", "Commands", "Crypto", "Encoding", "Gateway", "HTTP", "Identity", "JOSE", "JSON", "Providers",
                "WebAuthn",
            ],
            path: "Tests/Fuzzing", exclude: ["Seeds"], swiftSettings: settings))
}
