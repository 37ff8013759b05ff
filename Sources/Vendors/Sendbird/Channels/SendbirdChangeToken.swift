internal import GatewayCore

/// The place from which a client goes on that asks what has changed: noon, and which of the changes it was told last,
/// for instance. Opaque to clients, who only give it back.
struct SendbirdChangeToken: Hashable {
  /// In whole milliseconds.
  let since: WallTime
  /// The number of the last of the page before; 0 for none.
  let place: Int

  init(since: WallTime, place: Int) {
    self.since = since
    self.place = place
  }

  /// Where a client goes on who was told at `now` of all there was. It begins somewhat earlier: a change bears the time at
  /// which it was asked for, and may have waited for its turn and for the disk until after that answer. What is told twice
  /// tells a client nothing wrong.
  init(behind now: WallTime) {
    self.init(since: now - .seconds(10), place: 0)
  }

  /// Nil unless it is one that ``text`` wrote.
  init?(_ text: String) {
    let parts = text.split(separator: "c", omittingEmptySubsequences: false)
    guard text.utf8.count <= 40, parts.count == 3, parts[0].isEmpty, let since = Int64(parts[1]),
      let place = Int(parts[2]), since >= 0, place >= 0
    else { return nil }
    self.init(since: WallTime(milliseconds: since), place: place)
  }

  var text: String { "c\(max(0, since.milliseconds))c\(place)" }
}
