import GatewayKit

extension Behaviour {
  static let tokenOfAnother = badToken(
    "token-of-another", covers: ["P6", "R8"], fault: "mint_for_other", members: [JSONMember("user", "mallory")],
    sentence: "The client gets its own token, and does not loop, if its provider returns a token of another user.")
}
