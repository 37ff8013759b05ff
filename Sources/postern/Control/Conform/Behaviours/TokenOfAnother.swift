import GatewayKit

extension Behaviour {
  static let tokenOfAnother = badToken(
    "token-of-another", covers: ["P6", "R8"], fault: "mint_for_other", members: [JSONMember("user", "mallory")],
    sentence: "When its provider gives it a token of another user the client gets its own, and does not loop.")
}
