import GatewayKit

extension Behaviour {
  static let replyLate = replyFails(
    "reply-late", covers: ["R3"],
    sentence:
      "A client that hears two seconds late that its token was taken presents no other, and refreshes the next time.",
    fault: "delay", members: [JSONMember("by_ms", json: "2000")])
}
