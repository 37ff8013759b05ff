import Foundation
import Testing

/// The allowed imports. Core imports no target; a vendor sees the kit and the targets below it, and never another
/// vendor, a runtime or a server; server and simulator never see each other; no target imports the executable.
private let table: [String: Allowed] = others.merging(vendors.map { ($0, vendorMay) }) { one, _ in one }

/// The targets and the system libraries that the files of a target import.
private typealias Allowed = (ours: Set<String>, system: Set<String>)

private let others: [String: Allowed] = [
  "GatewayCore": ([], []),
  "GatewayJSON": ([], ["Glibc"]),
  "GatewayTokens": (["GatewayCore", "GatewayJSON", "COpenSSL"], ["Glibc", "Synchronization"]),
  "GatewayKit": (["GatewayTokens", "GatewayJSON", "GatewayCore"], ["Glibc", "Synchronization"]),
  "GatewayRedis": (["GatewayKit", "GatewayCore", "COpenSSL", "CHiredis"], ["Synchronization"]),
  "GatewayStores": (
    ["GatewayRedis", "GatewayKit", "GatewayCore", "CSQLite"], ["Dispatch", "Glibc", "Synchronization"]
  ),
  "GatewayRuntime": (["GatewayCore", "CRuntime"], ["Synchronization"]),
  "GatewayFaults": (["GatewayRuntime", "GatewayKit", "GatewayJSON", "GatewayCore"], []),
  "GatewayIdentity": (
    ["GatewayRuntime", "GatewayKit", "GatewayTokens", "GatewayJSON", "GatewayCore"], ["Synchronization"]
  ),
  "GatewayTelemetry": (["GatewayRuntime", "GatewayJSON", "GatewayCore"], ["Synchronization"]),
  "GatewaySpace": (
    [
      "GatewayIdentity", "GatewayTelemetry", "GatewayFaults", "GatewayRuntime", "GatewayKit", "GatewayTokens",
      "GatewayCore",
    ],
    ["Synchronization"]
  ),
  "GatewayControl": (
    [
      "GatewaySpace", "GatewayIdentity", "GatewayFaults", "GatewayRuntime", "GatewayKit", "GatewayJSON", "GatewayCore",
    ],
    ["Synchronization"]
  ),
  "GatewayServer": (
    ["GatewayRuntime", "GatewayCore", "CLibWebSockets", "CLibEV", "CBuildCommit", "CRuntime"],
    ["Glibc", "Synchronization"]
  ),
  "GatewaySimulator": (["GatewayRuntime", "GatewayCore"], ["Synchronization"]),
  "GatewayProxy": (
    ["GatewaySpace", "GatewayWires", "GatewayFaults", "GatewayRuntime", "GatewayKit", "GatewayCore"],
    ["Synchronization"]
  ),
  "GatewayFleet": (["GatewayRuntime", "GatewayCore"], []),
  "GatewayPlanner": (["GatewayFleet", "GatewayCore"], []),
  "GatewayReport": (["GatewayFleet", "GatewayKit", "GatewayJSON", "GatewayCore"], ["Glibc"]),
  "GatewayWires": (["GatewayKit", "GatewayTokens", "GatewayJSON", "GatewayCore"], ["Synchronization"]),
  "GatewayDrafts": (["GatewayKit", "GatewayJSON", "GatewayCore"], []),
  "GatewayProcess": (
    [
      "GatewayControl", "GatewaySpace", "GatewayIdentity", "GatewayFaults", "GatewayServer", "GatewayRuntime",
      "GatewayStores", "GatewayRedis", "GatewayKit", "GatewayCore",
    ], ["Dispatch", "Glibc", "Synchronization"]
  ),
  "PosternTesting": (
    [
      "GatewayProcess", "GatewayPlain", "GatewayControl", "GatewaySpace", "GatewayFaults", "GatewayServer",
      "GatewayRuntime", "GatewayKit", "GatewayTokens", "GatewayJSON", "GatewayCore",
    ], []
  ),
  "PosternSwiftTesting": (["PosternTesting"], ["Synchronization", "Testing"]),
  "PosternXCTest": (["PosternTesting"], ["Foundation", "XCTest"]),
  "postern": (
    Set([
      "GatewayProcess", "GatewayControl", "GatewayReport", "GatewayPlanner", "GatewayWires", "GatewayDrafts",
      "GatewayFleet", "GatewaySpace", "GatewayTelemetry", "GatewayIdentity", "GatewayProxy", "GatewayServer",
      "GatewaySimulator",
      "GatewayRuntime",
      "GatewayStores", "GatewayRedis",
      "GatewayKit", "GatewayTokens", "GatewayJSON", "GatewayCore",
    ]).union(vendors),
    ["Glibc", "Dispatch", "Synchronization"]
  ),
]

/// The vendors, each in a folder of `Sources/Vendors`.
private let vendors = Set(Repository.folders(in: "Sources/Vendors").map { "Gateway\($0)" })

private let vendorMay: Allowed = (
  ["GatewayKit", "GatewayTokens", "GatewayJSON", "GatewayCore"], ["Synchronization"]
)

/// Returns the folder of a target's sources.
private func folder(of target: String) -> String {
  vendors.contains(target) ? "Sources/Vendors/\(target.dropFirst("Gateway".count))" : "Sources/\(target)"
}

struct ImportTests {
  /// Returns the modules that a file imports, with their line numbers.
  private static func imports(of file: Repository.File) -> [(line: Int, module: String)] {
    let pattern =
      #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|let|var|typealias)\s+)?(\w+)/#
    return file.code.compactMap { number, text in
      guard text.contains("import ") else { return nil }
      return text.prefixMatch(of: pattern).map { (number, String($0.output.1)) }
    }
  }

  @Test(arguments: table.keys.sorted())
  func `every file imports only what its target may`(target: String) throws {
    let files = Repository.swiftFiles(below: folder(of: target))
    try #require(!files.isEmpty, "\(folder(of: target)) has no Swift file: is the table out of date?")
    let (ours, system) = table[target]!
    var unused = ours.union(system)
    for file in files {
      for (line, module) in Self.imports(of: file) {
        unused.remove(module)
        if !ours.contains(module) && !system.contains(module) {
          Issue.record("\(file.path):\(line) imports \(module), which \(target) may not; see the table in this test")
        }
      }
    }
    // A vendor need not use everything that vendors may use.
    if vendors.contains(target) { unused.subtract(vendorMay.system) }
    #expect(unused.isEmpty, "\(target) may import these, and no file of it does")
  }

  @Test
  func `every Swift target is in the import table, and C targets contain no Swift`() {
    #expect(vendors.count >= 5)
    for target in Repository.folders(in: "Sources") where target != "Vendors" {
      let isSwift = !Repository.swiftFiles(below: "Sources/\(target)").isEmpty
      #expect(isSwift == (table[target] != nil), "Sources/\(target)")
      if !isSwift { #expect(target.hasPrefix("C"), "a target without Swift wraps a C library: Sources/\(target)") }
    }
  }

  @Test
  func `the package declares exactly the dependencies of the import table`() throws {
    let package = try #require(Repository.text(of: "Package.swift"))
    var declared: [String: Set<String>] = [:]
    let names = #/"(\w+)"/#
    func list(_ text: Substring) -> Set<String> {
      let listed = Set(text.matches(of: names).map { String($0.output.1) })
      return text.contains("+ vendors") ? listed.union(vendors) : listed
    }
    for match in package.matches(of: #/library\(\s*"(\w+)",\s*(\[[^\]]*\](?: \+ vendors)?)[,)]/#) {
      declared[String(match.output.1)] = list(match.output.2)
    }
    for match in package.matches(
      of: #/executableTarget\(\s*name: "(\w+)",\s*dependencies: (\[[^\]]*\](?: \+ vendors)?)/#)
    {
      declared[String(match.output.1)] = list(match.output.2)
    }
    let every = try #require(package.firstMatch(of: #/name: "Gateway\\\(name\)", dependencies: (\[[^\]]*\])/#))
    let listed = try #require(package.firstMatch(of: #/let vendorNames = (\[[^\]]*\])/#))
    for name in list(listed.output.1) { declared["Gateway\(name)"] = list(every.output.1) }
    #expect(declared.keys.sorted() == table.keys.sorted())
    for (target, dependencies) in declared {
      #expect(dependencies == table[target]?.ours, "the dependencies of \(target)")
    }
  }

  @Test
  func `no two targets import each other`() {
    func everything(below target: String) -> Set<String> {
      (table[target]?.ours ?? []).reduce(into: []) {
        $0.formUnion([$1]); $0.formUnion(everything(below: $1))
      }
    }
    for target in table.keys { #expect(!everything(below: target).contains(target)) }
    #expect(!everything(below: "GatewayServer").contains("GatewaySimulator"))
    #expect(!everything(below: "GatewaySimulator").contains("GatewayServer"))
  }
}
