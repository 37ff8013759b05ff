import Foundation
import GatewayCore
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayStream

struct StreamDocumentTests {
  /// Returns a path in the form of both families, without the names of its parameters.
  private static func bare(_ path: String) -> String {
    var rest = Substring(path)
    for prefix in ["/api/v2/chat/", "/api/v2/video/", "/api/v2/", "/video/", "/"] where rest.hasPrefix(prefix) {
      rest = rest.dropFirst(prefix.count)
      break
    }
    return String(rest.replacing(/\{\w+\}/, with: "{}"))
  }

  @Test
  func `the page of operations has every route that a gateway has`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Docs/dialects")
    let text = try String(contentsOf: root.appending(path: "stream-operations.md"), encoding: .utf8)
    let listed = Set(text.matches(of: /`([A-Z]+) (\/\S*)`/).map { "\($0.output.1) \(Self.bare(String($0.output.2)))" })
    #expect(listed.count > 90)
    let routes = try SimulatedStream().space.space.routes
    for route in routes where !route.pattern.hasPrefix("/sfu/") {
      #expect(listed.contains("\(route.method) \(Self.bare(route.pattern))"), "\(route.method) \(route.pattern)")
    }
  }
}
