package import GatewayCore
internal import GatewayJSON

/// The body of an order of the control API, which clients write and the routes read.
///
/// The cases of its keys are the known members; other members are refused by name. A member that is nil is left out.
package protocol ControlOrder: Codable, Sendable {
  associatedtype CodingKeys: CodingKey, CaseIterable

  /// The members and their values as errors show them, e.g. `{"window_s"?: 0...86400}`.
  static var form: String { get }

  /// The maximum size of the body, in bytes.
  static var bodyBytesMax: Int { get }
}

extension ControlOrder {
  package static var bodyBytesMax: Int { 65_536 }
}

extension HTTPRequest {
  /// Returns a POST request with the order. Throws for a number that is not finite.
  package static func post(_ path: String, _ order: some ControlOrder) throws -> HTTPRequest {
    HTTPRequest(
      method: "POST", path: path, headers: [HTTPField("content-type", "application/json")],
      body: try JSONCoder().encode(order))
  }
}
