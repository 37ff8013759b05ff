package import GatewayJSON

/// The order that makes a space, `POST /spaces`.
package struct MakeSpaceOrder: ControlOrder {
  package static let form =
    #"{"name"?: string, "upstream"?: "wss://realtime.example", "port"?: 0...65535, "frozen"?: bool, "#
    + #""seed"?: whole number, "wall"?: "2000-01-01T00:00:00Z", "idle_s"?: number, "settings"?: object}"#

  package var name: String?
  /// The address that a route of `postern proxy --spaces` leads to; nil for that of `--to`.
  package var upstream: String?
  package var port: Int?
  package var frozen: Bool?
  package var seed: Int?
  package var wall: String?
  package var idleS: Double?
  /// The options of `postern serve` for the space, or of `postern proxy` for the route, an object.
  package var settings: JSONFragment?

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case name
    case upstream
    case port
    case frozen
    case seed
    case wall
    case settings
    case idleS = "idle_s"
  }

  package init(
    name: String? = nil, upstream: String? = nil, port: Int? = nil, frozen: Bool? = nil, seed: Int? = nil,
    wall: String? = nil, idleS: Double? = nil, settings: JSONFragment? = nil
  ) {
    self.name = name
    self.upstream = upstream
    self.port = port
    self.frozen = frozen
    self.seed = seed
    self.wall = wall
    self.idleS = idleS
    self.settings = settings
  }
}
