import Foundation
import GatewayCore
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayStreem

struct StreemDocumentTests {
  private func document(_ name: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../\(name)")
    return try String(contentsOf: root, encoding: .utf8)
  }

  @Test(arguments: ["Deploy/api/streem-asyncapi.yaml", "Docs/dialects/streem.md"])
  func `the documents list every reason`(name: String) throws {
    let text = try document(name)
    for reason in StreemReason.allCases { #expect(text.contains("`\(reason.rawValue)`"), "\(reason)") }
  }

  @Test
  func `the documents list every route, and no other`() throws {
    let space = try SimulatedStreem().space.space
    let text = try document("Deploy/api/streem-openapi.yaml")
    let paths = Set(text.matches(of: /\n  (\/[^:\n]+):\n/).map { String($0.output.1) })
    let routes = space.routes
    #expect(paths == Set(routes.map(\.pattern)).union([StreemDialect.path]))
    #expect(text.matches(of: /\n    (get|post|delete):\n/).count == routes.count + 1)
    let control = try document("Deploy/api/control.yaml")
    for route in space.controlRoutes {
      #expect(control.contains("\n  \(route.pattern):\n"), "\(route.pattern)")
    }
  }

  @Test
  func `the documents name every setting`() throws {
    let text = try document("Docs/dialects/streem.md")
    for flag in [
      "company", "api-key", "environment", "skew", "session-life", "invitation-life", "invitation-tries",
      "invitation-tries-overall", "landline-prefix", "unreachable-prefix", "oldest-sdk",
      "oidc-client", "oidc-logout", "oidc-signing", "oidc-tries", "oidc-logins", "oidc-user", "oidc-address",
      "oidc-access-life",
    ] { #expect(text.contains("`--streem-\(flag)"), "\(flag)") }
  }
}
