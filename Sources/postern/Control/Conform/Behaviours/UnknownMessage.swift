import GatewayKit

extension Behaviour {
  static let unknownMessage = replyFails(
    "unknown-message", covers: ["S8"],
    sentence: "The client ignores a message of an unknown type, and refreshes the next time.",
    fault: "replace", members: [JSONMember("text", #"{"type":"nobody_knows","code":7}"#)],
    ofBuiltIn: "its message is one of a built-in dialect")
}
