extension Behaviour {
  static let earlyToken = badToken(
    "early-token", covers: ["P5", "C2"], fault: "mint_early",
    sentence: "The client gets another token, and does not loop, if its provider returns one that is not valid yet.")
}
