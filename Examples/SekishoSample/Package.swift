// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

let client: Target.Dependency = .product(name: "SekishoAuth", package: "SekishoAuth")

// A separate package, so that the package of the gateway does not build the sample app.
let package = Package(
    name: "SekishoSample",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [.library(name: "SekishoSample", targets: ["SekishoSample"])],
    dependencies: [.package(name: "SekishoAuth", path: "../../Sources/Client")],
    targets: [
        .target(name: "SekishoSample", dependencies: [client], swiftSettings: settings),
        .executableTarget(name: "sekisho-sample", dependencies: [client, "SekishoSample"], swiftSettings: settings),
    ]
)
