extension Behaviour {
  static let replyTwice = replyFails(
    "reply-twice", covers: ["R4"],
    sentence: "A client that hears twice that its token was taken goes on, and refreshes the next time.",
    fault: "duplicate")
}
