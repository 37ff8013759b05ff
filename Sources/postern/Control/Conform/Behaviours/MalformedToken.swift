extension Behaviour {
  static let malformedToken = badToken(
    "malformed-token", covers: ["P5"], fault: "mint_malformed",
    sentence: "The client gets another token, and does not loop, if its provider returns half a token.")
}
