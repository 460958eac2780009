// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Tincan",
    products: [.library(name: "Tincan", type: .dynamic, targets: ["Tincan"])],
    dependencies: [.package(name: "OpenCallKit", path: "../..")],
    targets: [
        .target(name: "Tincan", dependencies: [.product(name: "OpenCallKit", package: "OpenCallKit")])
    ]
)
