internal import GatewayCore
internal import GatewayTokens

/// Page of a list that is read whole: the bots three to five of eight, for instance.
struct SendbirdPage<Item> {
  let items: ArraySlice<Item>
  /// What the client gives back for the next page; empty on the last.
  let next: String

  /// - Parameters:
  ///   - all: The whole list, in its order.
  ///   - request: It says where the page begins, and how long it is.
  ///   - name: What the item is called; no other in the list is. The page goes on behind the last one of the page before,
  ///     wherever that stands by now; where it is gone, from where it stood.
  init(of all: [Item], for request: SendbirdRequest, by name: (Item) -> String) throws(SendbirdError) {
    let limit = try request.limit
    var start = 0
    if let token = request.text("token") {
      let parts = token.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard let place = SendbirdPageToken.place(String(parts[0])) else { throw .invalid("token") }
      start = Int(clamping: place)
      if parts.count == 2 {
        guard let bytes = Base64URL.decode(String(parts[1])) else { throw .invalid("token") }
        let last = Name(String(decoding: bytes, as: UTF8.self))
        start = all.firstIndex { Name(name($0)) == last }.map { $0 + 1 } ?? max(0, start - 1)
      }
    }
    items = all.dropFirst(start).prefix(limit)
    guard let last = items.last, items.endIndex < all.endIndex else {
      next = ""
      return
    }
    next = "\(SendbirdPageToken.text(Int64(items.endIndex))).\(Base64URL.encode(Array(name(last).utf8)))"
  }
}
