package import GatewayCore
package import GatewayKit

/// A token that is not valid yet, e.g. one that is issued in an hour.
package struct MintEarly: ProviderAnswer {
  package static let word = "mint_early"
  package static let summary =
    "makes the token provider return tokens with an issue time in the future (default in an hour)"
  package static let members = ["by_s"]
  package static let example = #"{"fault": "mint_early", "by_s": 600, "times": 1}"#

  private let wait: Duration

  package init(_ fields: FaultFields) throws(GatewayError) { wait = try fields.seconds("by_s") ?? .seconds(3600) }

  package func answer(to order: ProviderOrder) -> MintedToken {
    var order = order
    let life = order.life
    order.now = order.now + wait
    if let life { order.order.life = .lasting(life) }
    return order.minted
  }
}
