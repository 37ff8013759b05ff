internal import GatewayCore

/// A query for messages of a channel.
struct SendbirdMessageQuery: Hashable, Sendable {
  /// The point around which messages are requested.
  enum Point: Hashable, Sendable {
    case time(WallTime)
    case message(Int64)

    /// The side of the point that a message lies on.
    enum Side { case before, at, after }

    func side(of message: SendbirdMessage) -> Side {
      switch self {
      // Clients know a message's time in milliseconds.
      case .time(let time) where message.createdAt.milliseconds == time.milliseconds: .at
      case .time(let time): message.createdAt < time ? .before : .after
      case .message(let id): message.id < id ? .before : message.id == id ? .at : .after
      }
    }
  }

  /// The replies that are included.
  enum Replies: Hashable, Sendable {
    case none
    /// Replies that were sent to the channel as well.
    case toChannel
    case all
    /// Only replies to this message.
    case to(Int64)
  }

  var point: Point
  /// The maximum number of messages before the point.
  var before: Int
  /// The maximum number of messages after the point.
  var after: Int
  /// Whether messages at the point are included.
  var includesPoint: Bool
  /// Only messages after this time.
  var since: WallTime?
  /// Only messages until this time, including that millisecond.
  var until: WallTime?
  var replies = Replies.all
  var kind: SendbirdMessage.Kind?
  var customTypes: Set<Name>?
  var senders: Set<UserID>?

  init(around point: Point, before: Int, after: Int, includesPoint: Bool) {
    self.point = point
    self.before = before
    self.after = after
    self.includesPoint = includesPoint
  }

  /// Returns whether the message matches, ignoring its side of the point.
  func includes(_ message: SendbirdMessage) -> Bool {
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
