internal import GatewayCore
internal import GatewayJSON

extension Frame {
  /// The command with one more member: how much its hearer has not read in all. Clients keep their total by it alone.
  func adding(_ unread: SendbirdUnread, at now: WallTime) -> Frame {
    Frame(kind, payload.dropLast(2) + unread.ending(at: now))
  }

  /// The same for many: one beginning, and an ending for each of `users`.
  func adding(_ unread: [UserID: SendbirdUnread], to users: Set<UserID>, at now: WallTime) -> DialectFrame {
    // Most have not read as much as others: what is written is shared.
    var written: [SendbirdUnread: [UInt8]] = [:]
    var endings: [UserID: [UInt8]] = Dictionary(minimumCapacity: users.count)
    for user in users {
      let unread = unread[user] ?? SendbirdUnread()
      let ending = written[unread] ?? unread.ending(at: now)
      written[unread] = ending
      endings[user] = ending
    }
    return DialectFrame(SendbirdWire.name, Frame(kind, Array(payload.dropLast(2))), endings: endings)
  }
}

extension SendbirdUnread {
  /// `unread_cnt`, in place of the object's end and the line feed.
  fileprivate func ending(at now: WallTime) -> [UInt8] {
    var json = JSONWriter(prefix: ",\"unread_cnt\":", capacity: 96)
    json.beginObject()
    write(to: &json, at: now)
    json.endObject()
    json.endObject()
    json.lineFeed()
    return json.bytes
  }

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
