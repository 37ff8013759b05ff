extension Behaviour {
  static let malformedToken = badToken(
    "malformed-token", covers: ["P5"], fault: "mint_malformed",
    sentence: "When its provider gives it half a token the client gets another, and does not loop.")
}
