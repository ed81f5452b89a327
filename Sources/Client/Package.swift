// swift-tools-version: 6.0
import PackageDescription

// The package of SekishoAuth alone. `Deploy/client-package` publishes this folder as a repository. The package of the
// gateway compiles the same sources for its tests.
let package = Package(
    name: "SekishoAuth",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [.library(name: "SekishoAuth", targets: ["SekishoAuth"])],
    targets: [
        .target(
            name: "SekishoAuth", path: "SekishoAuth",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ])
    ]
)
