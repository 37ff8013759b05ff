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

/// What `Tests/run` asks for, since its tests spend simulated days in the libraries: they are optimised in the debug build
/// too, their assertions kept. Flags like these may not stand in a package that others depend on by its version, so they
/// are not there unasked.
let libraryFlags: [SwiftSetting] =
  Context.environment["POSTERN_OPTIMISED_LIBRARIES"] == nil
  ? []
  : [
    .unsafeFlags(
      ["-O", "-whole-module-optimization", "-disable-batch-mode", "-num-threads", "2", "-assert-config", "Debug"],
      .when(configuration: .debug)
    )
  ]

/// What `Tests/run` asks for too: Swift's own search in text and its regular expressions are not there. They compare what a
/// reader sees and not bytes, and weigh more than a megabyte; `ByteSearch.swift` has what takes their place.
let textFlags: [SwiftSetting] =
  Context.environment["POSTERN_OPTIMISED_LIBRARIES"] == nil
  ? [] : [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]

/// A library. `pages` are files for browsers below its folder, whose bytes are embedded in the program.
func library(_ name: String, _ dependencies: [Target.Dependency], pages: [String] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, resources: pages.map { .embedInCode($0) },
    swiftSettings: settings + libraryFlags + textFlags)
}

/// A vendor lives in a folder of its own and sees no other vendor.
func vendor(_ name: String) -> Target {
  .target(
    name: "Gateway\(name)", dependencies: ["GatewayKit", "GatewayTokens", "GatewayJSON", "GatewayCore"],
    path: "Sources/Vendors/\(name)", swiftSettings: settings + textFlags)
}

/// The tests of a vendor: what it reads and writes, what its directories promise, its scenes in virtual time.
func vendorTests(_ name: String, resources: [Resource] = []) -> Target {
  .testTarget(
    name: "Gateway\(name)Tests",
    dependencies: [
      "Gateway\(name)", "GatewayKit", "GatewayTokens", "GatewayJSON", "GatewayCore", "GatewayRuntime",
      "GatewaySimulator", "GatewaySpace", "GatewayStores", "GatewayFleet", "GatewayReport", "TestSupport", "TestTraits",
    ].map { .byName(name: $0) },
    path: "Tests/Vendors/\(name)Tests", resources: resources, swiftSettings: settings)
}

/// Every vendor, by the name of its folder.
let vendorNames = [
  "Plain",
  "Stream",
  "Sendbird",
  "Sinch",
  "Streem",
]

/// The targets that know every vendor.
let vendors = vendorNames.map { Target.Dependency.byName(name: "Gateway\($0)") }

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestTraits"], resources: resources, swiftSettings: settings)
}

/// The libraries that read input from strangers, for the fuzz targets.
let fuzzed =
  [
    "postern", "GatewayReport", "GatewayPlanner", "GatewayWires", "GatewayDrafts", "GatewayFleet", "GatewayFaults",
    "GatewaySpace", "GatewayIdentity", "GatewayServer", "GatewayRedis", "GatewayKit", "GatewayTokens", "GatewayJSON",
    "GatewayCore",
  ].map { Target.Dependency.byName(name: $0) } + vendors

/// The suites of a build that has not all of them: a sanitizer's, which builds everything once more.
let wantedSuites = Context.environment["POSTERN_SUITES"].map { Set($0.split(separator: ",").map(String.init)) }

let package = Package(
  name: "postern",
  products: [
    .executable(name: "postern", targets: ["postern"]),
    .library(name: "PosternTesting", targets: ["PosternTesting"]),
    .library(name: "PosternSwiftTesting", targets: ["PosternSwiftTesting"]),
    .library(name: "PosternXCTest", targets: ["PosternXCTest"]),
  ],
  targets: [
    // C libraries of the system.
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CLibEV", providers: [.apt(["libev-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CHiredis", linkerSettings: [.linkedLibrary("hiredis")]),
    .target(
      name: "CLibWebSockets",
      linkerSettings: [
        .linkedLibrary("websockets"), .linkedLibrary("ev"), .linkedLibrary("ssl"), .linkedLibrary("crypto"),
      ]),

    // Tests/HouseTests holds this table of imports, and fails when an import breaks it.
    library("GatewayCore", []),
    library("GatewayJSON", []),
    library("GatewayTokens", ["GatewayCore", "GatewayJSON", "COpenSSL"]),
    library("GatewayKit", ["GatewayTokens", "GatewayJSON", "GatewayCore"]),
    library("GatewayRedis", ["GatewayKit", "GatewayCore", "COpenSSL", "CHiredis"]),
    library("GatewayStores", ["GatewayRedis", "GatewayKit", "GatewayCore", "CSQLite"]),
    .target(name: "CRuntime"),
    // The commit that a release is built from is said by its builder; a plain build knows none.
    .target(
      name: "CBuildCommit",
      cSettings: Context.environment["SOURCE_COMMIT"].map { [.define("SOURCE_COMMIT", to: "\"\($0)\"")] } ?? []),
    library("GatewayRuntime", ["GatewayCore", "CRuntime"]),
    library("GatewayFaults", ["GatewayRuntime", "GatewayKit", "GatewayJSON", "GatewayCore"]),
    library("GatewayTelemetry", ["GatewayRuntime", "GatewayJSON", "GatewayCore"]),
    library(
      "GatewayIdentity", ["GatewayRuntime", "GatewayKit", "GatewayTokens", "GatewayJSON", "GatewayCore"]),
    library(
      "GatewaySpace",
      [
        "GatewayIdentity", "GatewayTelemetry", "GatewayFaults", "GatewayRuntime", "GatewayKit", "GatewayTokens",
        "GatewayCore",
      ]),
    library(
      "GatewayControl",
      [
        "GatewaySpace", "GatewayIdentity", "GatewayFaults", "GatewayRuntime", "GatewayKit", "GatewayJSON",
        "GatewayCore",
      ],
      pages: [
        "dashboard.html", "login.html", "style.css", "page.js", "charts.js", "waves.js", "sessions.js", "feed.js",
      ].map { "Dashboard/Page/\($0)" }),
    library(
      "GatewayServer",
      ["GatewayRuntime", "GatewayCore", "CLibWebSockets", "CLibEV", "CBuildCommit", "CRuntime"]),
    library("GatewaySimulator", ["GatewayRuntime", "GatewayCore"]),
    library(
      "GatewayProxy", ["GatewaySpace", "GatewayWires", "GatewayFaults", "GatewayRuntime", "GatewayKit", "GatewayCore"]),
    library("GatewayFleet", ["GatewayRuntime", "GatewayCore"]),
    library("GatewayPlanner", ["GatewayFleet", "GatewayCore"]),
    library(
      "GatewayReport", ["GatewayFleet", "GatewayKit", "GatewayJSON", "GatewayCore"],
      pages: ["report.css", "live.html", "live.css", "live.js"].map { "HTML/Page/\($0)" }),
    library("GatewayWires", ["GatewayKit", "GatewayTokens", "GatewayJSON", "GatewayCore"]),
    library("GatewayDrafts", ["GatewayKit", "GatewayJSON", "GatewayCore"]),
    library(
      "GatewayProcess",
      [
        "GatewayControl", "GatewaySpace", "GatewayIdentity", "GatewayFaults", "GatewayServer", "GatewayRuntime",
        "GatewayStores", "GatewayRedis", "GatewayKit", "GatewayCore",
      ]),
    library(
      "PosternTesting",
      [
        "GatewayProcess", "GatewayPlain", "GatewayControl", "GatewaySpace", "GatewayFaults", "GatewayServer",
        "GatewayRuntime", "GatewayKit", "GatewayTokens", "GatewayJSON", "GatewayCore",
      ]),
    // For the tests of others: `postern` itself links neither of the libraries that run tests.
    library("PosternSwiftTesting", ["PosternTesting"]),
    library("PosternXCTest", ["PosternTesting"]),
    .executableTarget(
      name: "postern",
      dependencies: [
        "GatewayProcess", "GatewayControl", "GatewayReport", "GatewayPlanner", "GatewayWires", "GatewayDrafts",
        "GatewayFleet", "GatewaySpace", "GatewayTelemetry", "GatewayIdentity",
        "GatewayProxy", "GatewayServer", "GatewaySimulator", "GatewayRuntime", "GatewayStores", "GatewayRedis",
        "GatewayKit", "GatewayTokens", "GatewayJSON", "GatewayCore",
      ] + vendors,
      swiftSettings: settings + textFlags),

    // The tests mirror the sources; TestSupport holds builders.
    .target(
      name: "TestSupport",
      dependencies: [
        "GatewayProcess", "GatewayControl", "GatewayFleet", "GatewayServer", "GatewaySpace", "GatewayFaults",
        "GatewaySimulator",
        "GatewayRuntime", "GatewayStores", "GatewayRedis", "GatewayPlain", "GatewayKit", "GatewayTokens", "GatewayJSON",
        "GatewayCore", "TestTraits",
      ],
      path: "Tests/TestSupport", swiftSettings: settings),
    // The marks of tests, for every test target.
    .target(name: "TestTraits", path: "Tests/TestTraits", swiftSettings: settings),
    tests("HouseTests", []),
    tests("GatewayCoreTests", ["GatewayCore", "TestSupport"]),
    tests("GatewayJSONTests", ["GatewayJSON", "GatewayCore", "TestSupport"]),
    tests(
      "GatewayTokensTests", ["GatewayTokens", "GatewayJSON", "GatewayCore", "TestSupport"],
      resources: [.copy("Fixtures")]),
    tests(
      "GatewayKitTests",
      [
        "GatewaySpace", "GatewaySimulator", "GatewayRuntime", "GatewayKit", "GatewayTokens", "GatewayJSON",
        "GatewayCore", "TestSupport",
      ]),
    tests(
      "GatewayFaultsTests",
      [
        "GatewayFaults", "GatewayPlain", "GatewaySpace", "GatewaySimulator", "GatewayRuntime", "GatewayKit",
        "GatewayTokens", "GatewayJSON", "GatewayCore", "TestSupport",
      ]),
    tests(
      "GatewayIdentityTests",
      [
        "GatewayIdentity", "GatewayFaults", "GatewayControl", "GatewayPlain", "GatewayWires", "GatewaySpace",
        "GatewayServer", "GatewaySimulator", "GatewayRuntime", "GatewayKit", "GatewayTokens", "GatewayCore",
        "TestSupport",
      ]),
    tests(
      "GatewayTelemetryTests",
      [
        "GatewayTelemetry", "GatewayIdentity", "GatewayPlain", "GatewaySpace", "GatewaySimulator", "GatewayRuntime",
        "GatewayKit", "GatewayTokens", "GatewayJSON", "GatewayCore", "TestSupport",
      ]),
    tests("GatewayRedisTests", ["GatewayRedis", "GatewayServer", "GatewayKit", "GatewayCore", "TestSupport"]),
    tests("GatewayStoresTests", ["GatewayStores", "GatewayKit", "GatewayCore", "TestSupport"]),
    tests(
      "GatewaySpaceTests",
      [
        "GatewayPlain", "GatewaySpace", "GatewaySimulator", "GatewayStores", "GatewayRuntime", "GatewayKit",
        "GatewayTokens", "GatewayCore", "TestSupport",
      ]),
    vendorTests("Plain", resources: [.copy("Fixtures")]),
    vendorTests("Stream", resources: [.copy("Fixtures")]),
    vendorTests("Sendbird", resources: [.copy("Fixtures")]),
    vendorTests("Sinch", resources: [.copy("Fixtures")]),
    vendorTests("Streem"),
    tests(
      "GatewayRuntimeTests",
      ["GatewayRuntime", "GatewaySimulator", "GatewayCore"]),
    tests(
      "GatewayControlTests",
      [
        "GatewayControl", "GatewaySpace", "GatewayPlain", "GatewaySimulator", "GatewayRuntime", "GatewayKit",
        "GatewayTokens", "GatewayJSON", "GatewayCore", "TestSupport",
      ]),
    tests(
      "GatewaySimulatorTests",
      [
        "GatewayPlain", "GatewaySimulator", "GatewayRuntime", "GatewayKit", "GatewayTokens", "GatewayJSON",
        "GatewayCore",
        "TestSupport",
      ]),
    tests("GatewayServerTests", ["GatewayServer", "GatewayRuntime", "GatewayCore", "CLibWebSockets", "TestSupport"]),
    tests(
      "GatewayFleetTests",
      [
        "GatewayFleet", "GatewaySpace", "GatewaySimulator", "GatewayRuntime", "GatewayStores", "GatewayKit",
        "GatewayTokens", "GatewayCore", "TestSupport",
      ]),
    tests(
      "GatewayProxyTests",
      [
        "GatewayProxy", "GatewayWires", "GatewayControl", "GatewaySpace", "GatewayFaults", "GatewaySimulator",
        "GatewayRuntime",
        "GatewayJSON",
        "GatewayCore", "TestSupport",
      ]),
    tests("GatewayPlannerTests", ["GatewayPlanner", "GatewayFleet", "GatewayCore"]),
    tests(
      "GatewayReportTests", ["GatewayReport", "GatewayFleet", "GatewayKit", "GatewayCore", "TestSupport"]),
    tests(
      "GatewayWiresTests",
      [
        "GatewayWires", "GatewayFleet", "GatewayRuntime", "GatewayPlain", "GatewayTokens", "GatewayJSON", "GatewayCore",
        "TestSupport",
      ]),
    tests("GatewayDraftsTests", ["GatewayDrafts", "GatewayWires", "GatewayJSON", "TestSupport"]),
    tests(
      "GatewayProcessTests",
      [
        "GatewayProcess", "GatewayPlain", "GatewaySpace", "GatewayServer", "GatewayRuntime", "GatewayKit",
        "GatewayTokens", "GatewayCore", "TestSupport",
      ]),
    tests("PosternTestingTests", ["PosternTesting", "PosternSwiftTesting"]),
    tests(
      "PosternTests",
      [
        "postern", "GatewayProcess", "GatewayReport", "GatewayPlanner", "GatewayFleet",
        "GatewaySpace", "GatewayIdentity", "GatewayTelemetry",
        "GatewayRuntime", "GatewayKit", "GatewayTokens",
        "GatewayJSON",
        "GatewayCore",
        "TestSupport",
      ] + vendors),
    // Plays the kept inputs of the fuzz targets; Tests/Fuzz/README.md.
    .testTarget(name: "FuzzTests", dependencies: fuzzed, path: "Tests/Fuzz/Targets", swiftSettings: settings),
  ].filter { $0.type != .test || wantedSuites?.contains($0.name) ?? true } + vendorNames.map(vendor)
)

// `Tests/run fuzz` builds the targets into one program, whose `main` is libFuzzer's. So that of `postern` gets another name,
// and a library may hold it.
if Context.environment["POSTERN_FUZZ"] != nil {
  package.products = []
  package.targets = package.targets.map { target in
    guard target.name == "postern" else { return target }
    let renamed = SwiftSetting.unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "postern_main"])
    return .target(
      name: target.name, dependencies: target.dependencies, swiftSettings: settings + textFlags + [renamed])
  }
  package.targets.append(
    .executableTarget(
      name: "fuzz", dependencies: fuzzed, path: "Tests/Fuzz",
      exclude: ["README.md", "Seeds", "Words", "run.py", "Targets/FuzzSeedTests.swift"],
      sources: ["Targets", "Entry"], swiftSettings: settings))
}
