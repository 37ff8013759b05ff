package import GatewayJSON

/// The order that makes a space, `POST /spaces`.
package struct MakeSpaceOrder: ControlOrder {
  package static let form =
    #"{"name"?: string, "port"?: 0...65535, "frozen"?: bool, "#
    + #""seed"?: whole number, "wall"?: "2000-01-01T00:00:00Z", "idle_s"?: number, "settings"?: object}"#

  package var name: String?
  package var port: Int?
  package var frozen: Bool?
  package var seed: Int?
  package var wall: String?
  package var idleS: Double?
  /// The options of `postern serve` for the space, an object.
  package var settings: JSONFragment?

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case name
    case port
    case frozen
    case seed
    case wall
    case settings
    case idleS = "idle_s"
  }

  package init(
    name: String? = nil, port: Int? = nil, frozen: Bool? = nil, seed: Int? = nil,
    wall: String? = nil, idleS: Double? = nil, settings: JSONFragment? = nil
  ) {
    self.name = name
    self.port = port
    self.frozen = frozen
    self.seed = seed
    self.wall = wall
    self.idleS = idleS
    self.settings = settings
  }
}
