/// A channel that a ``RedisLane`` subscribes to, and the handlers of its messages. All functions are called on the
/// lane's loop.
struct RedisSubscription: Sendable {
  let channel: String
  /// A function that is called when the subscription begins, also after each loss.
  let opened: @Sendable () -> Void
  let received: @Sendable ([UInt8]) -> Void
  /// A function that is called when the subscription ends.
  let closed: @Sendable () -> Void

  /// The advice if the server does not let the gateway's user subscribe.
  static let missingRight =
    "its user may not publish and subscribe, which several processes need (--node-name); add &{postern}*, with the "
    + "--store-prefix, and +publish +subscribe +ping to the user"

  /// Returns the message that a server pushes with this reply; nil if it is an answer to a command.
  static func message(in reply: RedisReply) -> [UInt8]? {
    guard case .array(let parts) = reply, parts.count == 3, case .bytes(let kind) = parts[0],
      kind.elementsEqual("message".utf8), case .bytes(let message) = parts[2]
    else { return nil }
    return message
  }
}
