internal import GatewayCore
internal import GatewayKit

/// A token that has already expired. A client that asks again at once loops.
struct MintExpired: OtherTokenFault {
  static let word = "mint_expired"
  static let summary = "makes the token provider return tokens that have expired (default an hour ago)"
  static let members = ["by_s"]
  static let example = #"{"fault": "mint_expired", "by_s": 60, "times": 1}"#

  private let age: Duration

  init(_ fields: FaultFields) throws(GatewayError) { age = try fields.seconds("by_s") ?? .seconds(3600) }

  func answer(to order: ProviderOrder) -> MintedToken {
    var order = order
    let life = order.life ?? .seconds(3600)
    order.now = order.now - age - life
    order.order.life = .lasting(life)
    return order.minted
  }

  func token(of user: UserID, among seen: any SeenTokens) -> String? { seen.expired(of: user) }

  func lack(in seen: any SeenTokens, of users: Set<UserID>) -> String? {
    guard users.isEmpty ? !seen.hasExpired : !users.contains(where: { seen.expired(of: $0) != nil }) else { return nil }
    return "no expired token was seen; use tokens of a few seconds, and order it when one has expired"
  }
}
