package import GatewayCore
package import GatewayKit

/// A token provider that returns the user's last token again, however old it is, e.g. because of a cache.
package struct MintSame: OtherTokenFault {
  package static let word = "mint_same"
  package static let summary = "makes the token provider return each user's previous token again"
  package static let example = #"{"fault": "mint_same", "who": {"users": ["martin"]}}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func answer(to order: ProviderOrder) -> MintedToken {
    guard var token = order.last else { return order.minted }
    token.isAsItIs = true
    return token
  }

  package func token(of user: UserID, among seen: any SeenTokens) -> String? { seen.last(of: user) }

  package func lack(in seen: any SeenTokens, of users: Set<UserID>) -> String? { nil }
}
