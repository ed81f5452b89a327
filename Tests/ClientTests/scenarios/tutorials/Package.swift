// swift-tools-version: 6.2
import PackageDescription

/// Code as in tutorials for FirebaseAuth, with another import and another configuration. The folder `Swift5Tutorials`
/// is a symbolic link, so that the same files compile in both language modes.
func tutorials(_ name: String, _ mode: SwiftLanguageMode) -> Target {
    .executableTarget(
        name: name, dependencies: [.product(name: "SekishoAuth", package: "SekishoAuth")],
        swiftSettings: [.swiftLanguageMode(mode), .treatAllWarnings(as: .error)])
}

let package = Package(
    name: "Tutorials",
    platforms: [.iOS(.v15), .macOS(.v12)],
    dependencies: [.package(name: "SekishoAuth", path: "../../../../Sources/Client")],
    targets: [tutorials("Swift5Tutorials", .v5), tutorials("Swift6Tutorials", .v6)]
)
