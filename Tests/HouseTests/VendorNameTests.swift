import Foundation
import Testing

/// A new vendor only touches its own folders, the package, the catalogue and a page of `Deploy`: no other file knows
/// which vendors the gateway plays.
struct VendorNameTests {
  /// The gateway's own dialect is not a vendor's.
  private static let vendors = Repository.folders(in: "Sources/Vendors").filter { $0 != "Plain" }

  private static let catalogue = "Sources/postern/Vendors.swift"

  /// Returns whether the text names a vendor: its types (`StreamToken`), its target, its flags and paths
  /// (`stream-sfu`), or its name in a sentence; but not a word like `stream`, a type of another library like
  /// `AsyncStream`, or the media type of events and its paths.
  private static func names(_ text: String) -> Bool {
    let line = text.replacing("text/event-stream", with: "").replacing("/journal/stream", with: "")
    return vendors.contains { vendor in
      guard line.lowercased().contains(vendor.lowercased()) else { return false }
      let pattern =
        "\\b(?:Gateway)?\(vendor)(?:\\b|[A-Z])|\\b\(vendor.lowercased())(?:-|\")|\"\(vendor.lowercased())\\b"
      guard let names = try? Regex(pattern) else { return true }
      return line.contains(names.wordBoundaryKind(.simple))
    }
  }

  @Test
  func `vendors' names are only in their own folders, in code, comments and tests`() {
    // The fuzz targets reach into every vendor's parsers.
    let tests = Repository.folders(in: "Tests").filter { !["Vendors", "EndToEnd", "Fuzz"].contains($0) }
    for folder in Repository.folders(in: "Sources") + tests where folder != "Vendors" {
      let base = tests.contains(folder) ? "Tests" : "Sources"
      for file in Repository.swiftFiles(below: "\(base)/\(folder)") where file.path != Self.catalogue {
        // Comments in sources count too; comments in tests may name the vendor whose format a case has.
        let lines = base == "Tests" ? file.code : file.lines.enumerated().map { (number: $0 + 1, text: $1) }
        for (line, text) in lines where Self.names(text) && !file.path.hasSuffix("/VendorNameTests.swift") {
          Issue.record("\(file.path):\(line) names a vendor: its folder below Sources/Vendors is the place for that")
        }
      }
    }
  }

  @Test(arguments: [
    ("let token = StreamToken()", true), ("import GatewaySinch", true), ("--sendbird-app-id", true),
    ("case \"streem\": x", true), ("\"the application of Sendbird\"", true),
    ("let stream = AsyncStream<Int>()", false),
    ("struct SignalStream", false), ("\"text/event-stream\"", false), ("(stream, continuation)", false),
    ("\"/journal/stream\"", false), ("upstream-a", false),
  ])
  func `the rule of vendors' names finds a name, and nothing else`(line: String, isName: Bool) {
    #expect(Self.names(line) == isName)
  }

  @Test
  func `each vendor has its page, and is in the catalogue and in the package`() throws {
    let catalogue = try #require(Repository.text(of: Self.catalogue))
    let package = try #require(Repository.text(of: "Package.swift"))
    for vendor in Repository.folders(in: "Sources/Vendors") {
      #expect(catalogue.contains("  \(vendor)Vendor.self,") && catalogue.contains("import Gateway\(vendor)\n"))
      #expect(package.contains("  \"\(vendor)\",\n") && package.contains("vendorTests(\"\(vendor)\""))
    }
  }
}
