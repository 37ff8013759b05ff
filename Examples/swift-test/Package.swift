// swift-tools-version: 6.2
import PackageDescription

// A package that tests its client against Postern: what a package of your own needs is the dependency and one product,
// `PosternSwiftTesting` for tests with Swift Testing, `PosternXCTest` for those with XCTest.
let package = Package(
  name: "client",
  dependencies: [
    // Where Postern is checked out; a package of your own says `.package(url: "https://…/postern", branch: "main")`.
    .package(name: "postern", path: "../..")
  ],
  targets: [
    .testTarget(
      name: "ClientTests",
      dependencies: [
        .product(name: "PosternTesting", package: "postern"),
        .product(name: "PosternSwiftTesting", package: "postern"),
        .product(name: "PosternXCTest", package: "postern"),
      ])
  ]
)
