import Foundation
import GatewayCore
import GatewaySpace
import TestSupport
import Testing

@testable import GatewaySinch

struct SinchDocumentTests {
  private func document(_ name: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../\(name)")
    return try String(contentsOf: root, encoding: .utf8)
  }

  @Test
  func `the API documents list every reason with its status and code, and no other`() throws {
    let text = try document("Deploy/api/sinch-openapi.yaml")
    let dialect = SinchDialect(SinchSettings(applications: SinchApplications([])))
    for refusal in SinchRefusal.allCases {
      let response = dialect.response(for: refusal.gatewayError)
      let body = String(decoding: response.body, as: UTF8.self)
      let code = try #require(body.firstMatch(of: /"errorCode":(\d+)/)?.output.1)
      #expect(text.contains("| `\(refusal.rawValue)` | \(response.status) | \(code) |"), "\(refusal.rawValue)")
      #expect(body.contains(#""reason":"\#(refusal.rawValue)""#))
    }
    #expect(text.matches(of: /\| `\w+` \| \d+ \| \d+ \|/).count == SinchRefusal.allCases.count)
  }

  @Test
  func `the API documents list every route, and no other`() throws {
    let space = SimulatedSinch().space.space
    let text = try document("Deploy/api/sinch-openapi.yaml")
    let paths = Set(
      text.matches(of: /\n  (\/[^:\n]+):\n/).map { String($0.output.1) }.map {
        $0.hasSuffix("/") ? String($0.dropLast()) : $0
      })
    let routes = space.routes
    #expect(paths == Set(routes.map(\.pattern)).union([SinchDialect.path]))
    #expect(text.matches(of: /\n    (get|post|put|delete):\n/).count == routes.count + 1)
  }

  @Test
  func `the API documents name every reason for a credentials request, and every setting is on its own line`() throws {
    let text = try document("Deploy/api/sinch-asyncapi.yaml")
    let reasons = SinchCredentialsReason.allCases.map(\.rawValue).joined(separator: ", ")
    #expect(text.contains("reason: {enum: [\(reasons)]}"))
    let page = try document("Docs/dialects/sinch.md")
    for flag in [
      "application", "clock-skew", "kid-tolerance", "token-life-max", "nonce-replay", "token-life-min",
      "instance-life-min", "errors", "legacy", "timestamp-window", "guests", "password-tries", "user",
    ] { #expect(page.contains("--sinch-\(flag)"), "\(flag)") }
  }
}
