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

func platform(_ name: String, imports: [String] = []) -> Target {
    module(name, in: "Sources/Platform", imports: imports)
}

func tests(_ name: String, in folder: String = "Tests", imports: [String], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name, dependencies: imports.map { .init(stringLiteral: $0) }, path: "\(folder)/\(name)",
        resources: resources, swiftSettings: settings)
}

func platformTests(_ name: String, imports: [String], resources: [Resource] = []) -> Target {
    tests(name, in: "Tests/Platform", imports: imports, resources: resources)
}

let package = Package(
    name: "sekisho",
    targets: [
        .systemLibrary(name: "CSystem", path: "Sources/Platform/CSystem"),
        platform("EventLoop", imports: ["CSystem"]),
        platform("JSON"),
        platform("HTML"),
        platform("Crypto", imports: ["CSystem"]),
        platform("JOSE", imports: ["Crypto", "JSON"]),
        platform("Curl", imports: ["EventLoop", "CSystem"]),
        platform("HTTP", imports: ["Curl", "EventLoop", "CSystem"]),
        platform("SMTP", imports: ["Curl", "EventLoop", "CSystem"]),
        platform("Postgres", imports: ["EventLoop", "CSystem"]),
        platform("PrivatePostgres", imports: ["EventLoop", "CSystem"]),
        platform("Telemetry"),
        module("Identity"),
        module("Passwords", imports: ["Identity", "Crypto", "EventLoop", "HTTP"]),
        module("Providers", imports: ["Identity", "JOSE", "Crypto", "HTTP", "JSON", "EventLoop"]),
        module("Tokens", imports: ["Identity", "JOSE", "Crypto", "JSON"]),
        module("Storage", imports: ["Identity", "JSON", "Postgres"], resources: [.embedInCode("Migrations")]),
        module("Pages", imports: ["Identity", "HTML", "HTTP"]),
        module("API", imports: ["Identity", "HTTP", "JSON", "Pages", "Telemetry"]),
        module("Email", imports: ["Identity", "HTML", "SMTP", "EventLoop"]),
        module(
            "Gateway",
            imports: [
                "API", "Crypto", "Email", "EventLoop", "HTTP", "Identity", "JOSE", "JSON", "Passwords", "Postgres",
                "Providers", "SMTP", "Storage", "Telemetry", "Tokens",
            ]),
        module("Simulators", imports: ["JOSE", "Crypto", "HTTP", "EventLoop", "JSON"]),
        module("DevMode", imports: ["Gateway", "HTML", "PrivatePostgres", "Simulators"]),
        module("Commands", imports: ["DevMode", "Gateway"]),
        .executableTarget(name: "sekisho", dependencies: ["Commands"], swiftSettings: settings),
        module("Support", in: "Tests", imports: ["EventLoop", "Postgres", "PrivatePostgres", "Storage"]),
        platformTests("EventLoopTests", imports: ["EventLoop"]),
        platformTests("JSONTests", imports: ["JSON"]),
        platformTests("HTMLTests", imports: ["HTML"]),
        platformTests("CryptoTests", imports: ["Crypto"]),
        platformTests("JOSETests", imports: ["JOSE", "Crypto", "JSON"], resources: [.embedInCode("Vectors")]),
        platformTests("HTTPTests", imports: ["HTTP", "Curl", "EventLoop"]),
        platformTests("SMTPTests", imports: ["SMTP", "CSystem"]),
        platformTests("PostgresTests", imports: ["Postgres", "PrivatePostgres", "EventLoop"]),
        platformTests("TelemetryTests", imports: ["Telemetry"]),
        tests("IdentityTests", imports: ["Identity"]),
        tests("PasswordsTests", imports: ["Passwords"]),
        tests("ProvidersTests", imports: ["Providers", "Simulators"]),
        tests("TokensTests", imports: ["Tokens"]),
        tests("StorageTests", imports: ["Storage", "Support"]),
        tests("PagesTests", imports: ["Pages", "Crypto"]),
        tests("APITests", imports: ["API"]),
        tests("EmailTests", imports: ["Email", "HTML"]),
        tests("SimulatorsTests", imports: ["Simulators"]),
        tests("GatewayTests", imports: ["Gateway", "DevMode", "Support"]),
        tests("DevModeTests", imports: ["DevMode"]),
        tests("CommandsTests", imports: ["Commands"]),
        tests("RepositoryTests", imports: ["API", "Commands", "Gateway", "Storage"]),
    ]
)
