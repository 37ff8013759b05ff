internal import GatewayCore
internal import GatewayJSON

/// The `sort` of a query: by which fields, up or down. Calls that are equal in these are in the order of their names.
struct StreamCallOrder: Sendable {
  private var fields: [(name: Name, isDescending: Bool)]

  /// Reads the order; the newest first if there is none.
  init(_ body: StreamBody) throws(StreamError) {
    fields = []
    for view in try body.array("sort", count: 10) ?? [] {
      let parameter = try StreamBody(view, inside: "sort")
      let name = Name(try parameter.requiredString("field"))
      guard StreamCall.sortFields.contains(name) else {
        throw .input("there is no field \(name) to sort by", field: "sort")
      }
      let direction = try parameter.integer("direction") ?? 1
      guard direction == 1 || direction == -1 else { throw parameter.wrong("direction", "1 or -1") }
      fields.append((name, direction == -1))
    }
    if fields.isEmpty { fields = [("created_at", true)] }
  }

  /// Whether `one` comes before `two`. What has no value comes last, up or down.
  func precedes(_ one: StreamCall, _ two: StreamCall) -> Bool {
    for (name, isDescending) in fields {
      let (first, second) = (one.filterValue(name), two.filterValue(name))
      guard first != second else { continue }
      guard let first else { return false }
      guard let second, let order = first.compare(second) else { return true }
      return isDescending ? order > 0 : order < 0
    }
    return one.id.cid < two.id.cid
  }
}

/// The page of a query: `limit`, and `next` or `prev` as an earlier answer gave them.
struct StreamPage: Hashable, Sendable {
  let offset: Int
  let limit: Int

  init(_ body: StreamBody, limitMax: Int) throws(StreamError) {
    // 0 says nothing, as everywhere in Stream's API.
    let asked = try body.integer("limit", in: 0...Int64(limitMax)) ?? 0
    limit = asked == 0 ? limitMax : Int(asked)
    let (next, prev) = (try Self.offset(body, "next"), try Self.offset(body, "prev"))
    guard next == nil || prev == nil else { throw .input("only one of next and prev may be given", field: "next") }
    offset = next ?? prev ?? 0
  }

  /// A cursor is the number of those before the page, in an envelope that says whose it is.
  private static func offset(_ body: StreamBody, _ name: String) throws(StreamError) -> Int? {
    guard let text = try body.string(name, max: 64), !text.isEmpty else { return nil }
    guard text.hasPrefix(prefix), let offset = Int(text.dropFirst(prefix.count)), offset >= 0, offset <= 1_000_000_000
    else { throw body.wrong(name, "a cursor as an earlier answer gave it") }
    return offset
  }

  private static let prefix = "page-"

  /// The cursors of the pages around this one.
  func writeCursors(hasMore: Bool, to json: inout JSONWriter) {
    if hasMore { json.member("next", "\(Self.prefix)\(offset + limit)") }
    if offset > 0 { json.member("prev", "\(Self.prefix)\(max(0, offset - limit))") }
  }
}
