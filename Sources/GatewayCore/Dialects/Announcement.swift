/// A message for several connections, in each wire format that one of them may speak.
///
/// It consists of values only: the sender encodes it, and a receiver needs nothing else, in this process or in another.
package struct Announcement: Hashable, Sendable {
  package let audience: Audience
  /// A connection that does not receive the message, since it gets the answer to the command that caused it.
  package let except: ConnectionID?
  /// The message in each wire format that can express it; a connection of another format receives nothing.
  package let frames: [DialectFrame]

  package init(to audience: Audience, except speaker: ConnectionID? = nil, _ frames: [DialectFrame]) {
    self.audience = audience
    except = speaker
    self.frames = frames
  }

  /// Returns the message for connections that speak `dialect`; nil if there is none.
  package func frame(in dialect: String) -> DialectFrame? {
    frames.first { $0.dialect == dialect }
  }
}

/// A message encoded in one wire format, for all connections that speak it.
package struct DialectFrame: Hashable, Sendable {
  /// The name of the wire format.
  package let dialect: String
  /// The message, or the beginning of it that all users share.
  package let frame: Frame
  /// The end of the message for each user, e.g. a count of unread messages. Nil if all users receive the same.
  package let endings: [UserID: [UInt8]]?

  package init(_ dialect: String, _ frame: Frame, endings: [UserID: [UInt8]]? = nil) {
    self.dialect = dialect
    self.frame = frame
    self.endings = endings
  }

  /// Returns the message for that user; nil if it has no ending for them.
  package func frame(for user: UserID) -> Frame? {
    guard let endings else { return frame }
    return endings[user].map { Frame(frame.kind, frame.payload + $0) }
  }
}

/// The receivers of an announcement.
package enum Audience: Hashable, Sendable {
  /// The connections that watch the call.
  case call(CallID)
  /// Every connection of these users.
  case users(Set<UserID>)
  /// The connections that watch the call, and every connection of these users, each once.
  case callAndUsers(CallID, Set<UserID>)
  case connection(ConnectionID)
}
