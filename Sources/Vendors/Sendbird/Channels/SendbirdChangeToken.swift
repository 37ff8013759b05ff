internal import GatewayCore

/// A position in a list of changes, from which a client continues. Clients treat it as opaque.
struct SendbirdChangeToken: Hashable {
  /// The time in whole milliseconds.
  let since: WallTime
  /// The last channel on the page before; nil for the first page. Only its number and its creation are known.
  let channel: SendbirdChannelQuery.Place?

  init(since: WallTime, channel: SendbirdChannelQuery.Place? = nil) {
    self.since = since
    self.channel = channel
  }

  /// Creates the token for a client that has received everything up to `now`. It begins somewhat earlier: a change has
  /// the time of its request, and may have waited for its turn and the disk until after this answer. Receiving a change
  /// twice is harmless.
  init(behind now: WallTime) {
    self.init(since: now - .seconds(10))
  }

  /// Parses text that ``text`` wrote; fails for other text.
  init?(_ text: String) {
    let parts = text.split(separator: "c", omittingEmptySubsequences: false)
    guard text.utf8.count <= 64, (3...4).contains(parts.count), parts[0].isEmpty, let since = Int64(parts[1]),
      let number = Int64(parts[2]), since >= 0, number >= 0
    else { return nil }
    guard parts.count == 4 else {
      guard number == 0 else { return nil }
      self.init(since: WallTime(milliseconds: since))
      return
    }
    guard let createdAt = Int64(parts[3]), createdAt >= 0 else { return nil }
    self.init(
      since: WallTime(milliseconds: since), channel: SendbirdChannelQuery.Place(number: number, createdAt: createdAt))
  }

  var text: String {
    let end = channel.map { "\($0.number)c\(max(0, $0.createdAt))" } ?? "0"
    return "c\(max(0, since.milliseconds))c\(end)"
  }
}
