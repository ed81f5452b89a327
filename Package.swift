// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

func module(_ name: String, imports: [String] = [], resources: [Resource] = []) -> Target {
    .target(
        name: name, dependencies: imports.map { .init(stringLiteral: $0) }, resources: resources,
        swiftSettings: settings)
}

func tests(_ name: String, imports: [String], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name, dependencies: imports.map { .init(stringLiteral: $0) }, resources: resources,
        swiftSettings: settings)
}

let package = Package(
    name: "sekisho",
    targets: [
        .systemLibrary(name: "CSystem"),
        module("EventLoop", imports: ["CSystem"]),
        module("JSONText"),
        module("Crypto", imports: ["CSystem"]),
        module("JOSE", imports: ["Crypto", "JSONText"]),
        module("Curl", imports: ["EventLoop", "CSystem"]),
        module("HTTP", imports: ["Curl", "EventLoop", "CSystem"]),
        module("SMTP", imports: ["Curl", "EventLoop", "CSystem"]),
        module("Postgres", imports: ["EventLoop", "CSystem"]),
        module("PrivatePostgres", imports: ["EventLoop", "CSystem"]),
        module("Telemetry"),
        module("Identity"),
        module("Providers", imports: ["Identity", "JOSE", "Crypto", "HTTP", "JSONText", "EventLoop"]),
        module("Tokens", imports: ["Identity", "JOSE", "Crypto", "JSONText"]),
        module("Storage", imports: ["Identity", "JSONText", "Postgres"], resources: [.embedInCode("Migrations")]),
        module("Pages", imports: ["Identity", "HTTP"]),
        module("API", imports: ["Identity", "HTTP", "JSONText", "Pages", "Telemetry"]),
        module("Mail", imports: ["Identity", "SMTP", "EventLoop"]),
        module("Simulators", imports: ["JOSE", "Crypto", "HTTP", "EventLoop", "JSONText"]),
        .executableTarget(
            name: "sekisho",
            dependencies: [
                "API", "Crypto", "EventLoop", "HTTP", "Identity", "Mail", "Postgres", "PrivatePostgres", "Providers",
                "SMTP", "Storage", "JOSE", "JSONText", "Simulators", "Telemetry", "Tokens",
            ], swiftSettings: settings),
        .target(
            name: "Support", dependencies: ["EventLoop", "Postgres", "PrivatePostgres", "Storage"],
            path: "Tests/Support", swiftSettings: settings),
        tests("EventLoopTests", imports: ["EventLoop"]),
        tests("JSONTextTests", imports: ["JSONText"]),
        tests("CryptoTests", imports: ["Crypto"]),
        tests("JOSETests", imports: ["JOSE", "Crypto", "JSONText"], resources: [.embedInCode("Vectors")]),
        tests("HTTPTests", imports: ["HTTP", "Curl", "EventLoop"]),
        tests("SMTPTests", imports: ["SMTP", "CSystem"]),
        tests("PostgresTests", imports: ["Postgres", "PrivatePostgres", "EventLoop"]),
        tests("TelemetryTests", imports: ["Telemetry"]),
        tests("IdentityTests", imports: ["Identity"]),
        tests(
            "ProvidersTests",
            imports: ["Providers", "Identity", "JOSE", "Crypto", "EventLoop", "HTTP", "JSONText", "Simulators"]),
        tests("TokensTests", imports: ["Tokens", "Crypto", "Identity"]),
        tests("StorageTests", imports: ["Storage", "Identity", "Postgres", "Support"]),
        tests("PagesTests", imports: ["Pages", "Crypto", "HTTP", "Identity"]),
        tests("APITests", imports: ["API", "Identity", "HTTP", "JSONText", "Telemetry"]),
        tests("MailTests", imports: ["Mail", "Identity", "SMTP", "EventLoop"]),
        tests("SimulatorsTests", imports: ["Simulators", "JOSE", "Crypto", "HTTP", "JSONText"]),
        tests(
            "GatewayTests",
            imports: [
                "API", "Crypto", "EventLoop", "HTTP", "Identity", "JOSE", "Postgres", "Providers", "Simulators",
                "Storage",
                "Support", "Telemetry", "Tokens", "sekisho",
            ]),
        tests("RepositoryTests", imports: ["API", "HTTP", "Identity", "Postgres", "Storage", "sekisho"]),
    ]
)
