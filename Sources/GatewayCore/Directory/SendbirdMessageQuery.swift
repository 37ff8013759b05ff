/// Which messages of a channel are asked for: some before a point, some after it.
package struct SendbirdMessageQuery: Hashable, Sendable {
  package enum Point: Hashable, Sendable {
    case time(WallTime)
    case message(Int64)
  }

  package var point: Point
  /// The most messages from before the point.
  package var before: Int
  /// The most messages from after it.
  package var after: Int
  /// Whether what lies on the point is asked for too.
  package var includesPoint: Bool
  package var kind: SendbirdMessage.Kind?
  package var customTypes: Set<String>?
  package var senders: Set<UserID>?

  package init(around point: Point, before: Int, after: Int, includesPoint: Bool) {
    self.point = point
    self.before = before
    self.after = after
    self.includesPoint = includesPoint
  }

  /// Whether the message is asked for, its time left aside.
  package func includes(_ message: SendbirdMessage) -> Bool {
    if let kind, message.kind != kind { return false }
    if let customTypes, !customTypes.contains(message.customType) { return false }
    if let senders, !(message.sender.map { senders.contains($0.id) } ?? false) { return false }
    return true
  }
}
