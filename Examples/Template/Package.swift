// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Template",
    products: [.library(name: "Template", type: .dynamic, targets: ["Template"])],
    dependencies: [.package(name: "OpenCallKit", path: "../..")],
    targets: [
        .target(name: "Template", dependencies: [.product(name: "OpenCallKit", package: "OpenCallKit")]),
        .testTarget(
            name: "TemplateTests",
            dependencies: ["Template", .product(name: "OpenCallKitTestKit", package: "OpenCallKit")]),
    ]
)
