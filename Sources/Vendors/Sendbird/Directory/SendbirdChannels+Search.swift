internal import GatewayCore
internal import GatewayKit

/// A query for messages of a user's channels that match all given conditions.
struct SendbirdSearch: Hashable, Sendable {
  var text: String
  /// Only the channel with that URL.
  var channel: Name?
  /// Only channels with that custom type.
  var customType: Name?
  /// Whether the text must be equal, ignoring case, instead of containing the words.
  var isExact = false
  var since: WallTime?
  /// The latest time, including that millisecond.
  var until: WallTime?
  /// Whether the oldest comes first.
  var isReversed = false
  /// The last message on the page before; nil for the first page.
  var after: Int64?
  var limit = 10

  init(_ text: String) {
    self.text = text
  }

  func includes(_ message: SendbirdMessage) -> Bool {
    if let since, message.createdAt < since { return false }
    if let until, message.createdAt.milliseconds > until.milliseconds { return false }
    let (text, wanted) = (message.text.lowercased(), text.lowercased())
    return isExact ? text.utf8.elementsEqual(wanted.utf8) : text.contains(bytesOf: wanted)
  }
}

/// The result of a search.
struct SendbirdFinds: Hashable, Sendable {
  var messages: [SendbirdMessage]
  /// The number of all matches.
  var total: Int
  /// The ``SendbirdSearch/after`` of the next page; nil on the last page.
  var next: Int64?
}

extension SendbirdChannels {
  /// Searches messages in the group channels that the user has joined.
  func search(
    _ search: SendbirdSearch, by user: UserID, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> SendbirdFinds {
    try await settle(at: now)
    return try await ask { () async throws(StoreError) in
      let urls = await memberships.channels(of: user).filter { search.channel == nil || $0 == search.channel }
      let rows = try await store.read(urls.map { Self.channels.key($0.text) }, at: now)
      let places = try await store.read(urls.map { Self.members.key($0.text, user.rawValue) }, at: now)
      var found: [SendbirdMessage] = []
      for (row, place) in zip(rows, places) {
        guard let row = try row?.value(as: SendbirdChannelRow.self),
          let member = try place?.value(as: SendbirdMemberRow.self).member, member.state == .joined,
          search.customType.map({ $0 == row.properties.customType }) ?? true
        else { continue }
        let history = member.settings.historyFrom
        found += try await kept(row.url, at: now).filter { message in
          (history.map { message.createdAt > $0 } ?? true) && search.includes(message)
        }
      }
      found.sort { search.isReversed ? $0.id < $1.id : $0.id > $1.id }
      let rest = found.drop { message in
        search.after.map { search.isReversed ? message.id <= $0 : message.id >= $0 } ?? false
      }
      let page = Array(rest.prefix(search.limit))
      return SendbirdFinds(
        messages: page, total: found.count, next: page.count < rest.count ? page.last?.id : nil)
    }
  }
}
