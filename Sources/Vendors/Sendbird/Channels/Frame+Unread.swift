internal import GatewayCore
internal import GatewayJSON

extension Frame {
  /// The command with one more member: how much its hearer has not read in all. Clients keep their total by it alone.
  func adding(_ unread: SendbirdUnread, at now: WallTime) -> Frame {
    var json = JSONWriter(prefix: ",\"unread_cnt\":", capacity: 96)
    json.beginObject()
    unread.write(to: &json, at: now)
    json.endObject()
    json.endObject()
    json.lineFeed()
    // In place of the object's end and the line feed.
    return Frame(kind, payload.dropLast(2) + json.bytes)
  }
}

extension SendbirdUnread {
  /// The members of `unread_cnt`.
  func write(to json: inout JSONWriter, at now: WallTime) {
    json.member("all", Int64(messages))
    json.member("feed", 0)
    json.member("ts", now.milliseconds)
    json.member("custom_types", counts: messagesByType)
  }
}

extension JSONWriter {
  /// An object of whole numbers, in the order of their names.
  mutating func member(_ name: StaticString, counts: [Name: Int]) {
    member(name) { json in
      for (key, count) in counts.sorted(by: { $0.key < $1.key }) {
        json.name(key.text)
        json.integer(Int64(count))
      }
    }
  }
}
