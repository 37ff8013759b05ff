// The encoding of messages between nodes. Another version of the program may read them.

extension BusMessage {
  /// The first byte of every message. Other formats are refused.
  private static let format: UInt8 = 1

  /// Returns the message as bytes.
  ///
  /// - Parameters:
  ///   - sender: The life of the process that sends it.
  ///   - count: How many messages it has sent, this one too.
  package func encoded(from sender: NodeBoot, count: UInt64) -> [UInt8] {
    var writer = BusWriter()
    writer.put(Self.format)
    writer.put(sender)
    writer.put(count)
    switch self {
    case .announcement(let announcement):
      writer.put(1 as UInt8)
      announcement.write(to: &writer)
    case .note(let note):
      writer.put(2 as UInt8)
      writer.put(note.topic)
      writer.put(note.text)
    case .question(let number, let question):
      writer.put(3 as UInt8)
      writer.put(number)
      question.write(to: &writer)
    case .answer(let asker, let number, let answer):
      writer.put(4 as UInt8)
      writer.put(asker)
      writer.put(number)
      answer.write(to: &writer)
    }
    return writer.bytes
  }

  /// Reads a message, its sender, and how many messages the sender had sent. Throws for anything else.
  package static func decoded(
    _ bytes: ArraySlice<UInt8>
  ) throws(BusGarbage) -> (message: BusMessage, sender: NodeBoot, count: UInt64) {
    var reader = BusReader(bytes)
    guard try reader.number(UInt8.self) == format else { throw BusGarbage() }
    let sender = try reader.life()
    let count: UInt64 = try reader.number()
    let message: BusMessage
    switch try reader.number(UInt8.self) {
    case 1: message = .announcement(try Announcement(&reader))
    case 2: message = .note(VendorNote(try reader.text(), try reader.text()))
    case 3: message = .question(try reader.number(), try BusQuestion(&reader))
    case 4: message = .answer(try reader.life(), try reader.number(), try BusAnswer(&reader))
    default: throw BusGarbage()
    }
    guard reader.isAtEnd else { throw BusGarbage() }
    return (message, sender, count)
  }
}

extension Announcement {
  fileprivate func write(to writer: inout BusWriter) {
    switch audience {
    case .call(let call):
      writer.put(1 as UInt8)
      writer.put(call)
    case .users(let users):
      writer.put(2 as UInt8)
      writer.put(all: users) { $0.put($1) }
    case .callAndUsers(let call, let users):
      writer.put(3 as UInt8)
      writer.put(call)
      writer.put(all: users) { $0.put($1) }
    case .connection(let connection):
      writer.put(4 as UInt8)
      writer.put(connection)
    }
    writer.put(except) { $0.put($1) }
    writer.put(all: frames) { writer, words in
      writer.put(words.dialect)
      writer.put(words.frame.kind == .text ? 1 : 2 as UInt8)
      writer.put(words.frame.payload)
      writer.put(words.endings) { writer, endings in
        writer.put(all: endings) { writer, ending in
          writer.put(ending.key)
          writer.put(ending.value)
        }
      }
    }
  }

  fileprivate init(_ reader: inout BusReader) throws(BusGarbage) {
    let audience: Audience
    switch try reader.number(UInt8.self) {
    case 1: audience = .call(try reader.call())
    case 2: audience = .users(Set(try reader.all { (reader) throws(BusGarbage) in try reader.user() }))
    case 3:
      let call = try reader.call()
      audience = .callAndUsers(call, Set(try reader.all { (reader) throws(BusGarbage) in try reader.user() }))
    case 4: audience = .connection(try reader.connection())
    default: throw BusGarbage()
    }
    let except = try reader.optional { (reader) throws(BusGarbage) in try reader.connection() }
    self.init(
      to: audience, except: except, try reader.all { (reader) throws(BusGarbage) in try DialectFrame(&reader) })
  }
}

extension DialectFrame {
  fileprivate init(_ reader: inout BusReader) throws(BusGarbage) {
    let dialect = try reader.text()
    let kind: Frame.Kind
    switch try reader.number(UInt8.self) {
    case 1: kind = .text
    case 2: kind = .binary
    default: throw BusGarbage()
    }
    let payload = try reader.bytes()
    let endings = try reader.optional { (reader) throws(BusGarbage) -> [UserID: [UInt8]] in
      var endings: [UserID: [UInt8]] = [:]
      for (user, ending) in try reader.all({ (reader) throws(BusGarbage) in (try reader.user(), try reader.bytes()) }) {
        endings[user] = ending
      }
      return endings
    }
    self.init(dialect, Frame(kind, payload), endings: endings)
  }
}
