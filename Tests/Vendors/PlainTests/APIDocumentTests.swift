import Foundation
import GatewayCore
import GatewayKit
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayPlain

struct APIDocumentTests {
  private func document(_ name: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Deploy/api/\(name)")
    return try String(contentsOf: root, encoding: .utf8)
  }

  @Test(arguments: ["asyncapi.yaml", "openapi.yaml"])
  func `the API documents list every error of the catalogue, and no other`(name: String) throws {
    let text = try document(name)
    for error in GatewayError.all {
      #expect(text.contains("{number: {const: \(error.number)}, name: {const: \(error.name)}}"), "\(error.name)")
      #expect(text.contains("| \(error.number) | `\(error.name)` |"), "\(error.name)")
    }
    #expect(text.matches(of: /number: {const: \d+}/).count == GatewayError.all.count)
  }

  @Test
  func `the API documents list every close code that the gateway sends, and whether the client may come back`() throws {
    let text = try document("asyncapi.yaml")
    // The other codes are only noted by the gateway when it sent no close frame.
    let sent = CloseReason.all.filter { CloseReason.maySend($0.code) && $0 != .peerClosed }
    for reason in sent {
      let entry = "{code: \(reason.code), name: \(reason.name), may_reconnect: \(reason.mayReconnect)}"
      #expect(text.contains(entry), "\(reason.name)")
      #expect(text.contains("| \(reason.code) | `\(reason.name)` | \(reason.mayReconnect ? "yes" : "no") |"))
    }
    #expect(text.matches(of: /may_reconnect: (true|false)}\n/).count == sent.count)
  }

  @Test
  func `the API documents list every route, and no other`() throws {
    let routes = try SimulatedGateway().space.space.routes
    let text = try document("openapi.yaml")
    let paths = Set(text.matches(of: /\n  (\/[^:\n]+):\n/).map { String($0.output.1) })
    // The paths of signals exist once a login is configured.
    let signals: Set = ["/identity/logout", "/identity/events", "/identity/revoke"]
    #expect(paths == Set(routes.map(\.pattern)).union(signals).union([PlainDialect.path]))
    #expect(text.matches(of: /\n    (get|post):\n/).count == routes.count + signals.count + 1)
  }
}
