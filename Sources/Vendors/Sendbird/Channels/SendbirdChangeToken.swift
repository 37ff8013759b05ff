internal import GatewayCore

/// A position in a list of changes, from which a client continues. Clients treat it as opaque.
struct SendbirdChangeToken: Hashable {
  /// The time in whole milliseconds.
  let since: WallTime
  /// The number of the last item on the page before; 0 for none.
  let place: Int

  init(since: WallTime, place: Int) {
    self.since = since
    self.place = place
  }

  /// Creates the token for a client that has received everything up to `now`. It begins somewhat earlier: a change has
  /// the time of its request, and may have waited for its turn and the disk until after this answer. Receiving a change
  /// twice is harmless.
  init(behind now: WallTime) {
    self.init(since: now - .seconds(10), place: 0)
  }

  /// Parses text that ``text`` wrote; fails for other text.
  init?(_ text: String) {
    let parts = text.split(separator: "c", omittingEmptySubsequences: false)
    guard text.utf8.count <= 40, parts.count == 3, parts[0].isEmpty, let since = Int64(parts[1]),
      let place = Int(parts[2]), since >= 0, place >= 0
    else { return nil }
    self.init(since: WallTime(milliseconds: since), place: place)
  }

  var text: String { "c\(max(0, since.milliseconds))c\(place)" }
}
