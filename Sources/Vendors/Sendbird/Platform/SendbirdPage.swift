internal import GatewayCore
internal import GatewayTokens

/// A page of a list that is read as a whole.
struct SendbirdPage<Item> {
  let items: ArraySlice<Item>
  /// The token of the next page; empty on the last page.
  let next: String

  /// Cuts the requested page out of a list.
  ///
  /// - Parameters:
  ///   - all: The whole list, in order.
  ///   - request: The request with the start and length of the page.
  ///   - name: The unique name of an item. The page starts after the last item of the page before, wherever that is
  ///     now; if it was removed, at its former position.
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
