// swift-tools-version: 6.2
import PackageDescription

/// Every target is built the same way: language mode 6, imports stated with their visibility, and async helpers that
/// stay on the caller's executor (SE-0461), which is what keeps a connection on its loop.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

let package = Package(
  name: "postern",
  products: [
    .executable(name: "postern", targets: ["postern"]),
    .library(name: "PosternTesting", targets: ["PosternTesting"]),
  ],
  targets: [
    // C libraries of the system.
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CJansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CLibEV", providers: [.apt(["libev-dev"])]),
    .target(
      name: "CLibWebSockets",
      linkerSettings: [
        .linkedLibrary("websockets"), .linkedLibrary("ev"), .linkedLibrary("ssl"), .linkedLibrary("crypto"),
      ]),

    // Who may import whom: Tests/HouseTests holds this table and fails when an import breaks it.
    library("GatewayCore", []),
    library("GatewayJSON", ["CJansson"]),
    library("GatewayTokens", ["GatewayCore", "GatewayJSON", "COpenSSL"]),
    library("GatewayDialects", ["GatewayCore", "GatewayTokens", "GatewayJSON"]),
    library("GatewayStores", ["GatewayCore"]),
    .target(name: "CLoopIdentity"),
    library("GatewayRuntime", ["GatewayCore", "CLoopIdentity"]),
    library("GatewayServer", ["GatewayRuntime", "GatewayJSON", "GatewayCore", "CLibWebSockets", "CLibEV"]),
    library(
      "GatewaySimulator",
      ["GatewayRuntime", "GatewayDialects", "GatewayStores", "GatewayTokens", "GatewayCore"]),
    library("GatewayLoad", ["GatewayRuntime", "GatewayDialects", "GatewayTokens", "GatewayCore"]),
    library(
      "PosternTesting",
      [
        "GatewayServer", "GatewaySimulator", "GatewayRuntime", "GatewayDialects", "GatewayStores", "GatewayTokens",
        "GatewayCore",
      ]),
    .executableTarget(
      name: "postern",
      dependencies: [
        "PosternTesting", "GatewayLoad", "GatewayServer", "GatewaySimulator", "GatewayRuntime", "GatewayDialects",
        "GatewayStores", "GatewayTokens", "GatewayJSON", "GatewayCore",
      ],
      swiftSettings: settings),

    // The tests mirror the sources; TestSupport holds builders.
    .target(
      name: "TestSupport",
      dependencies: [
        "GatewaySimulator", "GatewayRuntime", "GatewayDialects", "GatewayStores", "GatewayTokens", "GatewayJSON",
        "GatewayCore",
      ],
      path: "Tests/TestSupport", swiftSettings: settings),
    tests("HouseTests", []),
    tests("GatewayCoreTests", ["GatewayCore", "TestSupport"]),
    tests("GatewayJSONTests", ["GatewayJSON", "GatewayCore"]),
    tests(
      "GatewayTokensTests", ["GatewayTokens", "GatewayJSON", "GatewayCore", "TestSupport"],
      resources: [.copy("Fixtures")]),
    tests(
      "GatewayDialectsTests", ["GatewayDialects", "GatewayTokens", "GatewayJSON", "GatewayCore", "TestSupport"],
      resources: [.copy("Fixtures")]),
    tests("GatewayStoresTests", ["GatewayStores", "GatewayCore", "GatewaySimulator", "TestSupport"]),
    tests(
      "GatewayRuntimeTests",
      ["GatewayRuntime", "GatewayDialects", "GatewaySimulator", "GatewayTokens", "GatewayCore", "TestSupport"]),
    tests(
      "GatewaySimulatorTests",
      [
        "GatewaySimulator", "GatewayRuntime", "GatewayDialects", "GatewayTokens", "GatewayJSON", "GatewayCore",
        "TestSupport",
      ]),
    tests("GatewayServerTests", ["GatewayServer", "GatewayRuntime", "GatewayCore", "CLibWebSockets", "TestSupport"]),
    tests(
      "GatewayLoadTests",
      [
        "GatewayLoad", "GatewaySimulator", "GatewayStores", "GatewayRuntime", "GatewayDialects", "GatewayCore",
        "TestSupport",
      ]),
    tests(
      "PosternTests",
      [
        "postern", "PosternTesting", "GatewayDialects", "GatewayRuntime", "GatewayTokens", "GatewayJSON", "GatewayCore",
        "TestSupport",
      ]),
  ]
)
