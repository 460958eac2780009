// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Smallest",
    products: [.library(name: "Smallest", type: .dynamic, targets: ["Smallest"])],
    dependencies: [.package(url: "https://example.org/OpenCallKit.git", from: "0.1.0")],
    targets: [
        .target(name: "Smallest", dependencies: [.product(name: "OpenCallKit", package: "OpenCallKit")])
    ]
)
