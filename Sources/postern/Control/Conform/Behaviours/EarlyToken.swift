extension Behaviour {
  static let earlyToken = badToken(
    "early-token", covers: ["P5", "C2"], fault: "mint_early",
    sentence: "When its provider gives it a token that is not good yet the client gets another, and does not loop.")
}
