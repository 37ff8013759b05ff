internal import GatewayCore

/// What a node tells the others about a channel that it has changed, so that their ``SendbirdMemberships`` stay right.
enum SendbirdRoomNews: Hashable, Sendable {
  /// The message with that number in the count of all was sent, by that user; by none if a server sent it in nobody's name.
  case message(Name, by: UserID?, count: Int64)
  /// The member has that many unread messages, after so many messages.
  case unread(Name, Int, of: UserID, count: Int64)
  /// Anything else: the roster must be read again.
  case changed(Name)

  static let topic = "sendbird.room"

  /// The note about it. Names may contain anything, so the length in bytes of the user's stands before it.
  var note: VendorNote {
    switch self {
    case .message(let url, nil, let count): VendorNote(Self.topic, "message \(count) \(url.text)")
    case .message(let url, let user?, let count): VendorNote(Self.topic, "sent \(count) \(Self.text(user, url))")
    case .unread(let url, let unread, let user, let count):
      VendorNote(Self.topic, "unread \(count) \(unread) \(Self.text(user, url))")
    case .changed(let url): VendorNote(Self.topic, "changed \(url.text)")
    }
  }

  private static func text(_ user: UserID, _ url: Name) -> String {
    "\(user.rawValue.utf8.count) \(user.rawValue)\(url.text)"
  }

  /// Reads a note; nil if it is about something else.
  init?(_ note: VendorNote) {
    guard note.topic.utf8.elementsEqual(Self.topic.utf8) else { return nil }
    let (kind, rest) = Self.split(note.text.utf8[...])
    if kind.elementsEqual("changed".utf8) {
      self = .changed(Name(String(Substring(rest))))
      return
    }
    let (number, names) = Self.split(rest)
    guard let count = Int64(String(Substring(number))), count > 0 || kind.elementsEqual("unread".utf8) else {
      return nil
    }
    if kind.elementsEqual("message".utf8) {
      self = .message(Name(String(Substring(names))), by: nil, count: count)
    } else if kind.elementsEqual("sent".utf8), let (user, url) = Self.names(names) {
      self = .message(url, by: user, count: count)
    } else if kind.elementsEqual("unread".utf8), case let (unread, rest) = Self.split(names),
      let unread = Int(String(Substring(unread))), 0...Int(Int32.max) ~= unread, let (user, url) = Self.names(rest)
    {
      self = .unread(url, unread, of: user, count: count)
    } else {
      return nil
    }
  }

  /// Returns what is before the first space, and what is behind it.
  private static func split(_ text: Substring.UTF8View) -> (Substring.UTF8View, Substring.UTF8View) {
    let end = text.firstIndex(of: UInt8(ascii: " ")) ?? text.endIndex
    return (text[..<end], text[end...].dropFirst())
  }

  private static func names(_ text: Substring.UTF8View) -> (user: UserID, url: Name)? {
    let (number, names) = split(text)
    guard let length = Int(String(Substring(number))), 0...names.count ~= length,
      let user = String(names.prefix(length)), let url = String(names.dropFirst(length))
    else { return nil }
    return (UserID(user), Name(url))
  }
}
