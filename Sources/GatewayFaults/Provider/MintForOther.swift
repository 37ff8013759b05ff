package import GatewayCore
package import GatewayKit

/// A token of another user than the one asked for.
package struct MintForOther: OtherTokenFault {
  package static let word = "mint_for_other"
  package static let summary = "makes the token provider return tokens of another user"
  package static let members = ["user"]
  package static let example = #"{"fault": "mint_for_other", "user": "mallory", "times": 1}"#

  private let user: UserID

  package init(_ fields: FaultFields) throws(GatewayError) {
    guard let user = try fields.text("user", bytes: UserID.lengthMax), !user.isEmpty else {
      throw fields.missing("user")
    }
    self.user = UserID(user)
  }

  package func answer(to order: ProviderOrder) -> MintedToken {
    var order = order
    order.order.user = user
    return order.minted
  }

  package func token(of user: UserID, among seen: any SeenTokens) -> String? { seen.last(of: self.user) }

  package func lack(in seen: any SeenTokens, of users: Set<UserID>) -> String? {
    seen.last(of: user) == nil ? "no token of \(user) was seen; let them log in first" : nil
  }
}
