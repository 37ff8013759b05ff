import Foundation
import Testing

struct LayoutTests {
  private static let swift = Repository.swiftFiles(below: "Sources") + Repository.swiftFiles(below: "Tests")

  @Test
  func `no file or folder is a drawer for everything`() {
    let drawers = #/(?:Utils?|Utilities|Helpers?|Manager|Misc|Common|Extensions)(?:\.swift)?$/#
    for file in Self.swift {
      for part in file.path.split(separator: "/") where part.contains(drawers) {
        Issue.record("\(file.path): name it for what it does, not \(part)")
      }
    }
  }

  @Test
  func `no placeholder is left in a folder with code`() {
    for target in Repository.folders(in: "Sources") + Repository.folders(in: "Tests") {
      for base in ["Sources", "Tests"] {
        let files = Repository.swiftFiles(below: "\(base)/\(target)")
        #expect(files.count < 2 || !files.contains { $0.path.hasSuffix("/Placeholder.swift") }, "\(base)/\(target)")
      }
    }
  }

  @Test
  func `the tests mirror the sources`() {
    let targets = Set(Repository.folders(in: "Sources"))
    for tests in Repository.folders(in: "Tests") where tests.hasPrefix("Gateway") {
      #expect(tests.hasSuffix("Tests") && targets.contains(String(tests.dropLast("Tests".count))), "Tests/\(tests)")
    }
    #expect(
      Repository.folders(in: "Tests/Vendors") == Repository.folders(in: "Sources/Vendors").map { "\($0)Tests" })
  }

  @Test
  func `the map of the architecture page names every folder at the top and every target`() throws {
    let page = try #require(Repository.text(of: "Docs/architecture.md"))
    for folder in Repository.folders() where !folder.hasPrefix(".") {
      #expect(page.contains("`\(folder)"), "Docs/architecture.md does not say what \(folder) is")
    }
    for target in Repository.folders(in: "Sources") {
      #expect(
        page.contains("`Sources/\(target)`") || page.contains("`\(target)`"), "Docs/architecture.md lacks \(target)")
    }
  }

  @Test
  func `every file that a walk through the code names exists`() throws {
    let page = try #require(Repository.text(of: "Docs/walks.md"))
    let names = page.matches(of: #/`([A-Z][A-Za-z+]+)`/#).map { String($0.1) }
    #expect(names.count > 20)
    for name in names {
      #expect(Self.swift.contains { $0.path.hasSuffix("/\(name).swift") }, "Docs/walks.md names \(name)")
    }
  }

  @Test
  func `every Swift target is built with the house's settings`() throws {
    let package = try #require(Repository.text(of: "Package.swift"))
    for setting in [
      ".swiftLanguageMode(.v6)", "\"NonisolatedNonsendingByDefault\"", "\"InternalImportsByDefault\"",
      "\"MemberImportVisibility\"", "\"ExistentialAny\"", ".treatAllWarnings(as: .error)",
    ] {
      #expect(package.contains(setting))
    }
    #expect(!package.contains(".package("), "the package depends on nothing but the system's libraries")
  }

  @Test
  func `the shipped program exports exactly the functions that libwebsockets has to call`() throws {
    let map = try #require(Repository.text(of: "Deploy/exports.map"))
    let exported = try #require(map.firstMatch(of: #/global:([^}]*)local:/#)?.1)
    let source = try #require(Repository.text(of: "Sources/CLibWebSockets/interposition.c"))
    let interposed = source.matches(of: #/ INTERPOSES\("(\w+)"\)/#).map { String($0.1) }
    #expect(!interposed.isEmpty)
    #expect(exported.matches(of: #/\w+/#).map { String($0.0) } == interposed.sorted())
  }
}
