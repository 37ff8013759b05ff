package import GatewayCore

/// A question for messages of a channel: ten before noon and ten after it, for instance.
package struct SendbirdMessageQuery: Hashable, Sendable {
  /// The point of a channel that messages are asked for around: noon, for instance.
  package enum Point: Hashable, Sendable {
    case time(WallTime)
    case message(Int64)

    /// The side of the point that a message lies on: before it, for instance.
    enum Side { case before, at, after }

    func side(of message: SendbirdMessage) -> Side {
      switch self {
      // Its clients know a message's time in milliseconds.
      case .time(let time) where message.createdAt.milliseconds == time.milliseconds: .at
      case .time(let time): message.createdAt < time ? .before : .after
      case .message(let id): message.id < id ? .before : message.id == id ? .at : .after
      }
    }
  }

  /// The kind of replies that are among the messages: none, for instance.
  package enum Replies: Hashable, Sendable {
    case none
    /// Those that were sent to the channel as well.
    case toChannel
    case all
    /// Those to this message, and nothing else.
    case to(Int64)
  }

  package var point: Point
  /// The most messages from before the point.
  package var before: Int
  /// The most messages from after it.
  package var after: Int
  /// Whether what lies on the point is asked for too.
  package var includesPoint: Bool
  /// Only messages sent after then.
  package var since: WallTime?
  /// Only messages sent until then, that millisecond included.
  package var until: WallTime?
  package var replies = Replies.all
  package var kind: SendbirdMessage.Kind?
  package var customTypes: Set<Name>?
  package var senders: Set<UserID>?

  package init(around point: Point, before: Int, after: Int, includesPoint: Bool) {
    self.point = point
    self.before = before
    self.after = after
    self.includesPoint = includesPoint
  }

  /// Whether the message is asked for, leaving aside on which side of the point it lies.
  package func includes(_ message: SendbirdMessage) -> Bool {
    if let since, message.createdAt <= since { return false }
    if let until, message.createdAt.milliseconds > until.milliseconds { return false }
    switch replies {
    case .none: if message.parentID != nil { return false }
    case .toChannel: if message.parentID != nil && !message.isReplyToChannel { return false }
    case .all: break
    case .to(let parent): if message.parentID != parent { return false }
    }
    if let kind, message.kind != kind { return false }
    if let customTypes, !customTypes.contains(message.customType) { return false }
    if let senders, !(message.sender.map { senders.contains($0.id) } ?? false) { return false }
    return true
  }
}
