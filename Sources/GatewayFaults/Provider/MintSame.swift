internal import GatewayCore
internal import GatewayKit

/// A token provider that returns the user's last token again, however old it is, e.g. because of a cache.
struct MintSame: OtherTokenFault {
  static let word = "mint_same"
  static let summary = "makes the token provider return each user's previous token again"
  static let example = #"{"fault": "mint_same", "who": {"users": ["martin"]}}"#

  init(_ fields: FaultFields) throws(GatewayError) {}

  func answer(to order: ProviderOrder) -> MintedToken {
    guard var token = order.last else { return order.minted }
    token.isAsItIs = true
    return token
  }

  func token(of user: UserID, among seen: any SeenTokens) -> String? { seen.last(of: user) }

  func lack(in seen: any SeenTokens, of users: Set<UserID>) -> String? { nil }
}
