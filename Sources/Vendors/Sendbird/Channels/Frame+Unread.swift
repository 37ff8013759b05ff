internal import GatewayCore
internal import GatewayJSON

extension Frame {
  /// Returns the command with the receiver's total of unread messages, from which alone clients get it.
  func adding(_ unread: SendbirdUnread, at now: WallTime) -> Frame {
    Frame(kind, payload.dropLast(2) + unread.ending(at: now))
  }

  /// Returns the command for many receivers: one shared beginning, and an ending for each of `users`.
  func adding(_ unread: [UserID: SendbirdUnread], to users: Set<UserID>, at now: WallTime) -> DialectFrame {
    // Most users have the same total, so the written bytes are shared.
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
  /// Returns `unread_cnt` with the object's end and the line feed.
  fileprivate func ending(at now: WallTime) -> [UInt8] {
    var json = JSONWriter(prefix: ",\"unread_cnt\":", capacity: 96)
    json.beginObject()
    write(to: &json, at: now)
    json.endObject()
    json.endObject()
    json.lineFeed()
    return json.bytes
  }

  /// Writes the members of `unread_cnt`.
  func write(to json: inout JSONWriter, at now: WallTime) {
    json.member("all", Int64(messages))
    json.member("feed", 0)
    json.member("ts", now.milliseconds)
    json.member("custom_types", counts: messagesByType)
  }
}

extension JSONWriter {
  /// Writes an object of whole numbers, in the order of their names.
  mutating func member(_ name: StaticString, counts: [Name: Int]) {
    member(name) { json in
      for (key, count) in counts.sorted(by: { $0.key < $1.key }) {
        json.name(key.text)
        json.integer(Int64(count))
      }
    }
  }
}
