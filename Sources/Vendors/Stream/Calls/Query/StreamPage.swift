internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// A position in a list that stays valid when items are added or removed.
protocol StreamPlace: Sendable {
  /// Reads a position that ``text`` wrote; fails for anything else.
  init?(_ text: String)
  var text: String { get }
}

/// The page of a query: its `limit`, and the `next` or `prev` cursor of an earlier answer.
struct StreamPage<Place: StreamPlace>: Sendable {
  let limit: Int
  private let next: Place?
  private let prev: Place?

  init(_ body: StreamBody, limitMax: Int) throws(StreamError) {
    // 0 means that no limit is given, as everywhere in Stream's API.
    let asked = try body.integer("limit", in: 0...Int64(limitMax)) ?? 0
    limit = asked == 0 ? limitMax : Int(asked)
    next = try Self.place(body, "next")
    prev = try Self.place(body, "prev")
    guard next == nil || prev == nil else { throw .input("only one of next and prev may be given", field: "next") }
  }

  /// Reads a cursor: the position at which a page ends or begins, in an envelope that is not mistaken for other data.
  private static func place(_ body: StreamBody, _ name: String) throws(StreamError) -> Place? {
    guard let text = try body.string(name, max: 1024), !text.isEmpty else { return nil }
    guard let bytes = Base64URL.decode(text), let place = Place(String(decoding: bytes, as: UTF8.self)) else {
      throw body.wrong(name, "a cursor as an earlier answer gave it")
    }
    return place
  }

  /// Returns the rows of the page, out of all rows in order, with the cursors of the neighbouring pages.
  func cut<Row>(
    _ rows: [Row], at place: (Row) -> Place, by precedes: (Place, Place) -> Bool
  ) -> (rows: ArraySlice<Row>, cursors: StreamCursors) {
    var start = rows.startIndex
    if let next { start = rows.firstIndex { precedes(next, place($0)) } ?? rows.endIndex }
    var end = min(start + limit, rows.endIndex)
    if let prev {
      end = rows.firstIndex { !precedes(place($0), prev) } ?? rows.endIndex
      start = max(rows.startIndex, end - limit)
    }
    let page = rows[start..<end]
    // An empty page continues from its own cursor.
    let (first, last) = (page.first.map(place) ?? next, page.last.map(place) ?? prev)
    let cursors = StreamCursors(
      next: end < rows.endIndex ? last.map(Self.cursor) : nil,
      prev: start > rows.startIndex ? first.map(Self.cursor) : nil)
    return (page, cursors)
  }

  private static func cursor(_ place: Place) -> String { Base64URL.encode(Array(place.text.utf8)) }
}

/// The cursors of the neighbouring pages; nil if there is no such page.
struct StreamCursors: Sendable {
  var next: String?
  var prev: String?

  func write(to json: inout JSONWriter) {
    if let next { json.member("next", next) }
    if let prev { json.member("prev", prev) }
  }
}
