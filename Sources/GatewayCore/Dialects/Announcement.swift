/// A message to many, whole: that bob joined a call, for instance, to its members, in each wire format that one of them
/// may speak.
///
/// It is made of values only: whoever speaks puts it into words, and whoever hears needs nothing else, in this process or
/// in another one.
package struct Announcement: Hashable, Sendable {
  package let audience: Audience
  /// Whose connection hears nothing of it, but the answer to the command that it is the news of.
  package let except: ConnectionID?
  /// One for each wire format that has words for it; nobody hears it who speaks another.
  package let frames: [DialectFrame]

  package init(to audience: Audience, except speaker: ConnectionID? = nil, _ frames: [DialectFrame]) {
    self.audience = audience
    except = speaker
    self.frames = frames
  }

  /// What those hear who speak `dialect`; nil for nothing.
  package func frame(in dialect: String) -> DialectFrame? {
    frames.first { $0.dialect == dialect }
  }
}

/// A message in the words of one wire format, for all who speak it: the JSON that says that bob joined, for instance.
package struct DialectFrame: Hashable, Sendable {
  /// The name of the wire format.
  package let dialect: String
  /// The message, or what it begins with for everybody.
  package let frame: Frame
  /// What it ends with for each user: how much ann has not read, for instance. Nil where all hear the same.
  package let endings: [UserID: [UInt8]]?

  package init(_ dialect: String, _ frame: Frame, endings: [UserID: [UInt8]]? = nil) {
    self.dialect = dialect
    self.frame = frame
    self.endings = endings
  }

  /// The message for that user; nil if it has no ending for them.
  package func frame(for user: UserID) -> Frame? {
    guard let endings else { return frame }
    return endings[user].map { Frame(frame.kind, frame.payload + $0) }
  }
}

/// The addressees of something told: the connections that watch the call `default:standup`, or all of ann's, for
/// instance.
package enum Audience: Hashable, Sendable {
  /// The connections that watch the call.
  case call(CallID)
  /// Every connection of these users.
  case users(Set<UserID>)
  /// The connections that watch the call, and every connection of these users, each once.
  case callAndUsers(CallID, Set<UserID>)
  case connection(ConnectionID)
}
