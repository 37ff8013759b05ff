internal import GatewayCore

/// Where a client goes on that asks what has changed: since when, and how many it has been told already. Opaque to clients,
/// who only give it back.
struct SendbirdChangeToken: Hashable {
  /// In whole milliseconds.
  let since: WallTime
  let offset: Int

  init(since: WallTime, offset: Int) {
    self.since = since
    self.offset = offset
  }

  /// Nil unless it is one that ``text`` wrote.
  init?(_ text: String) {
    let parts = text.split(separator: "c", omittingEmptySubsequences: false)
    guard text.utf8.count <= 40, parts.count == 3, parts[0].isEmpty, let since = Int64(parts[1]),
      let offset = Int(parts[2]), since >= 0, offset >= 0
    else { return nil }
    self.init(since: WallTime(milliseconds: since), offset: offset)
  }

  var text: String { "c\(max(0, since.milliseconds))c\(offset)" }
}
