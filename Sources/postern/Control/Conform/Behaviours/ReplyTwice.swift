extension Behaviour {
  static let replyTwice = replyFails(
    "reply-twice", covers: ["R4"],
    sentence: "The client continues, and refreshes the next time, if it receives the reply to its refresh twice.",
    fault: "duplicate")
}
