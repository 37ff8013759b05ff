internal import GatewayCore
internal import GatewayKit

/// A token of another user than the one asked for.
struct MintForOther: OtherTokenFault {
  static let word = "mint_for_other"
  static let summary = "makes the token provider return tokens of another user"
  static let members = ["user"]
  static let example = #"{"fault": "mint_for_other", "user": "mallory", "times": 1}"#

  private let user: UserID

  init(_ fields: FaultFields) throws(GatewayError) {
    guard let user = try fields.text("user", bytes: UserID.lengthMax), !user.isEmpty else {
      throw fields.missing("user")
    }
    self.user = UserID(user)
  }

  func answer(to order: ProviderOrder) -> MintedToken {
    var order = order
    order.order.user = user
    return order.minted
  }

  func token(of user: UserID, among seen: any SeenTokens) -> String? { seen.last(of: self.user) }

  func lack(in seen: any SeenTokens, of users: Set<UserID>) -> String? {
    seen.last(of: user) == nil ? "no token of \(user) was seen; let them log in first" : nil
  }
}
