// swift-tools-version: 6.0
import PackageDescription

// The generated package is beside this one.
let package = Package(
    name: "Scenario",
    dependencies: [.package(name: "SekishoClient", path: "../client")],
    targets: [
        .executableTarget(name: "Scenario", dependencies: [.product(name: "SekishoClient", package: "SekishoClient")])
    ]
)
