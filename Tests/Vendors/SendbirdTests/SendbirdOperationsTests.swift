import Foundation
import GatewayCore
import GatewayKit
import GatewaySpace
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdOperationsTests {
  /// Returns the route with `{}` for every parameter, so that routes with different parameter names compare equal.
  private static func shape(_ method: Substring, _ path: Substring) -> String {
    let segments = path.prefix { $0 != "?" }.split(separator: "/").map { $0.hasPrefix("{") ? "{}" : String($0) }
    return "\(method) /\(segments.joined(separator: "/"))"
  }

  @Test
  func `the list of operations has every route there is, each once`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../EndToEnd/operations/sendbird.txt")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let listed = lines.filter { !$0.hasPrefix("#") && !$0.hasPrefix("+") && $0.contains(" | ") }.map { line in
      let fields = line.split(separator: "|").map { $0.drop { $0 == " " } }
      return Self.shape(fields[1].prefix { $0 != " " }, fields[2].prefix { $0 != " " })
    }
    let routes = try SimulatedSendbird().space.space.routes.filter { $0.pattern.hasPrefix("/v3/") }
    let played = routes.map { Self.shape($0.method[...], $0.pattern[...]) }
    #expect(played.filter { !listed.contains($0) } == [], "write them into Tests/EndToEnd/operations/sendbird.txt")
    #expect(Set(listed).count == listed.count)
    #expect(played.count > 150)
  }
}
