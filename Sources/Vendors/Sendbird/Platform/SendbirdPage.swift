/// Page of a list that is read whole: the bots three to five of eight, for instance.
struct SendbirdPage<Item> {
  let items: ArraySlice<Item>
  /// What the client gives back for the next page; empty on the last.
  let next: String

  /// - Parameters:
  ///   - all: The whole list, in its order.
  ///   - request: It says where the page begins, and how long it is.
  init(of all: [Item], for request: SendbirdRequest) throws(SendbirdError) {
    let (limit, start) = (try request.limit, try request.pageStart)
    items = all.dropFirst(start).prefix(limit)
    next = start < all.count - items.count ? SendbirdPageToken.text(Int64(start + items.count)) : ""
  }
}
