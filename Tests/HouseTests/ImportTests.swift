import Foundation
import Testing

/// Who may import whom. Core imports nothing of ours; stores never see dialects or the runtime; server and simulator are
/// siblings and never see each other; nobody imports the executable.
private let table: [String: (ours: Set<String>, system: Set<String>)] = [
  "GatewayCore": ([], []),
  "GatewayJSON": (["CJansson"], ["Glibc"]),
  "GatewayTokens": (["GatewayCore", "GatewayJSON", "COpenSSL"], ["Foundation", "FoundationEssentials", "Glibc"]),
  "GatewayDialects": (["GatewayCore", "GatewayTokens", "GatewayJSON"], ["Foundation", "Synchronization"]),
  "GatewayStores": (["GatewayCore"], ["Synchronization"]),
  "GatewayRuntime": (["GatewayCore", "CLoopIdentity"], ["Synchronization"]),
  "GatewayServer": (
    ["GatewayRuntime", "GatewayJSON", "GatewayCore", "CLibWebSockets", "CLibEV"],
    ["Foundation", "FoundationEssentials", "Glibc", "Dispatch", "Synchronization"]
  ),
  "GatewaySimulator": (
    ["GatewayRuntime", "GatewayDialects", "GatewayStores", "GatewayTokens", "GatewayCore"], ["Synchronization"]
  ),
  "GatewayLoad": (
    ["GatewayRuntime", "GatewayDialects", "GatewayTokens", "GatewayCore"], ["Foundation", "Glibc", "Synchronization"]
  ),
  "PosternTesting": (
    [
      "GatewayServer", "GatewaySimulator", "GatewayRuntime", "GatewayDialects", "GatewayStores", "GatewayTokens",
      "GatewayCore",
    ], ["Foundation", "Glibc", "Synchronization"]
  ),
  "postern": (
    [
      "PosternTesting", "GatewayLoad", "GatewayServer", "GatewaySimulator", "GatewayRuntime", "GatewayDialects",
      "GatewayStores", "GatewayTokens", "GatewayJSON", "GatewayCore",
    ],
    ["Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Dispatch", "Synchronization"]
  ),
]

@Suite("The import table")
struct ImportTests {
  /// The modules that a file imports, with the numbers of the lines.
  private static func imports(of file: Repository.File) -> [(line: Int, module: String)] {
    let pattern =
      #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|let|var|typealias)\s+)?(\w+)/#
    return file.code.compactMap { number, text in
      guard text.contains("import ") else { return nil }
      return text.prefixMatch(of: pattern).map { (number, String($0.output.1)) }
    }
  }

  @Test("every file imports only what its target may", arguments: table.keys.sorted())
  func imports(target: String) throws {
    let files = Repository.swiftFiles(below: "Sources/\(target)")
    try #require(!files.isEmpty, "Sources/\(target) has no Swift file: is the table out of date?")
    let (ours, system) = table[target]!
    #expect(
      ours.isEmpty || files.contains { file in Self.imports(of: file).contains { ours.contains($0.module) } },
      "\(target) imports nothing of what it may: does this test still see imports?")
    for file in files {
      for (line, module) in Self.imports(of: file) where !ours.contains(module) && !system.contains(module) {
        Issue.record("\(file.path):\(line) imports \(module), which \(target) may not; see the table in this test")
      }
    }
  }

  @Test("every target with Swift in it stands in the table, and C targets hold no Swift")
  func complete() {
    for target in Repository.folders(in: "Sources") {
      let isSwift = !Repository.swiftFiles(below: "Sources/\(target)").isEmpty
      #expect(isSwift == (table[target] != nil), "Sources/\(target)")
      if !isSwift { #expect(target.hasPrefix("C"), "a target without Swift wraps a C library: Sources/\(target)") }
    }
  }

  @Test("the package declares just what the table allows")
  func package() throws {
    let package = try #require(Repository.text(of: "Package.swift"))
    var declared: [String: Set<String>] = [:]
    let names = #/"(\w+)"/#
    for match in package.matches(of: #/library\(\s*"(\w+)",\s*\[([^\]]*)\]\)/#) {
      declared[String(match.output.1)] = Set(match.output.2.matches(of: names).map { String($0.output.1) })
    }
    for match in package.matches(of: #/executableTarget\(\s*name: "(\w+)",\s*dependencies: \[([^\]]*)\]/#) {
      declared[String(match.output.1)] = Set(match.output.2.matches(of: names).map { String($0.output.1) })
    }
    #expect(declared.keys.sorted() == table.keys.sorted())
    for (target, dependencies) in declared {
      #expect(dependencies == table[target]?.ours, "the dependencies of \(target)")
    }
  }

  @Test("no target of ours sees one that sees it")
  func acyclic() {
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
