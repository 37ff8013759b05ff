import GatewayKit

extension Behaviour {
  static let replyLate = replyFails(
    "reply-late", covers: ["R3"],
    sentence:
      "The client sends no second token, and refreshes the next time, if the reply to its refresh comes two seconds late.",
    fault: "delay", members: [JSONMember("by_ms", json: "2000")])
}
