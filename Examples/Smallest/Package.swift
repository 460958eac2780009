// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Smallest",
    products: [.library(name: "Smallest", type: .dynamic, targets: ["Smallest"])],
    dependencies: [.package(name: "OpenCallKit", path: "../..")],
    targets: [
        .target(name: "Smallest", dependencies: [.product(name: "OpenCallKit", package: "OpenCallKit")])
    ]
)
