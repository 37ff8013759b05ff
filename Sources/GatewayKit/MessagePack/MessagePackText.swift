internal import GatewayCore
package import GatewayJSON

/// A message of MessagePack as JSON text, and which bytes of the message each value is.
struct MessagePackText {
  private let bytes: UnsafeRawBufferPointer
  private let shown: MessagePack.Bytes
  private let findsPlaces: Bool
  private let arePlain: [Bool]
  private var maps = 0
  private var cursor: MessagePackCursor
  private var writer = JSONWriter()
  /// The first byte of each value in the JSON text, in order, and its bytes in the message.
  private var places: [(json: Int, packed: Range<Int>)] = []

  /// The JSON text.
  var json: [UInt8] { writer.bytes }

  /// Reads a map or an array. Fails for other bytes, and for messages that are too large or too deep.
  ///
  /// - Parameter findsPlaces: Whether ``replacing(_:with:)`` will be asked for.
  init?(_ bytes: UnsafeRawBufferPointer, _ shown: MessagePack.Bytes = .shown, findsPlaces: Bool) {
    guard bytes.count <= MessagePack.sizeMax, MessagePack.mayBegin(bytes),
      let shape = MessagePackShape(bytes, depthMax: MessagePack.depthMax)
    else { return nil }
    (self.bytes, self.shown, self.findsPlaces) = (bytes, shown, findsPlaces)
    arePlain = shape.arePlain
    cursor = MessagePackCursor(bytes)
    guard value(), writer.bytes.count <= MessagePack.sizeMax else { return nil }
  }

  /// Writes the next value. Returns false as soon as the text is too large.
  private mutating func value() -> Bool {
    let (start, first) = (cursor.position, writer.nextStart)
    guard writer.bytes.count <= MessagePack.sizeMax, let item = cursor.next() else { return false }
    let place = places.count
    if findsPlaces { places.append((first, start..<cursor.position)) }
    switch item {
    case .null: writer.null()
    case .bool(let flag): writer.bool(flag)
    case .unsigned(let number):
      if let number = Int64(exactly: number) {
        writer.integer(number)
      } else {
        marked(MessagePack.uint, String(number))
      }
    case .signed(let number): writer.integer(number)
    case .real(let number):
      if number.isFinite {
        writer.raw("\(number)")
      } else {
        marked(MessagePack.float, number.isNaN ? "nan" : number < 0 ? "-inf" : "inf")
      }
    case .text(let range):
      let text = UnsafeRawBufferPointer(rebasing: bytes[range])
      if MessagePack.isText(text) {
        writer.string(String(decoding: text, as: UTF8.self))
      } else {
        marked(MessagePack.str, content(range))
      }
    case .bytes(let range): marked(MessagePack.base64, content(range))
    case .ext(let type, let range):
      writer.beginObject()
      writer.name(MessagePack.ext)
      writer.integer(Int64(type))
      writer.name(MessagePack.base64)
      writer.string(content(range))
      writer.endObject()
    case .array(let count):
      writer.beginArray()
      for _ in 0..<count { guard value() else { return false } }
      writer.endArray()
    case .map(let count):
      let isPlain = arePlain[maps]
      maps += 1
      guard isPlain ? members(count) : pairs(count) else { return false }
    }
    if findsPlaces { places[place].packed = start..<cursor.position }
    return true
  }

  private mutating func members(_ count: Int) -> Bool {
    writer.beginObject()
    for _ in 0..<count {
      guard case .text(let range)? = cursor.next() else { return false }
      writer.name(String(decoding: bytes[range], as: UTF8.self))
      guard value() else { return false }
    }
    writer.endObject()
    return true
  }

  /// Writes a map as a list, with an object of one member for each key that is text, so that a secret keeps its name.
  private mutating func pairs(_ count: Int) -> Bool {
    writer.beginObject()
    writer.name(MessagePack.map)
    writer.beginArray()
    for _ in 0..<count {
      let key = cursor
      if case .text(let range)? = cursor.next(), MessagePack.isText(UnsafeRawBufferPointer(rebasing: bytes[range])) {
        writer.beginObject()
        writer.name(String(decoding: bytes[range], as: UTF8.self))
        guard value() else { return false }
        writer.endObject()
      } else {
        cursor = key
        writer.beginArray()
        guard value(), value() else { return false }
        writer.endArray()
      }
    }
    writer.endArray()
    writer.endObject()
    return true
  }

  private mutating func marked(_ mark: String, _ text: String) {
    writer.beginObject()
    writer.name(mark)
    writer.string(text)
    writer.endObject()
  }

  private func content(_ range: Range<Int>) -> String {
    switch shown {
    case .shown: Base64.encode(Array(bytes[range]))
    case .counted: "(\(range.count) bytes)"
    }
  }
}

extension MessagePack {
  /// Returns the message with another value at the pointer, and every other byte as it was; nil if nothing is there, or the
  /// bytes are no message. `value` returns the new value as JSON, or nil to leave it.
  package static func replacing(
    _ pointer: JSONPointer, in bytes: [UInt8], with value: (JSONView) -> String?
  ) -> [UInt8]? {
    bytes.withUnsafeBytes { buffer in
      guard let text = MessagePackText(buffer, findsPlaces: true),
        let document = try? JSONDocument.parse(text.json, sizeMax: sizeMax, depthMax: depthMax),
        let found = pointer.find(in: document.root), let place = text.place(of: found),
        let packed = value(found).flatMap({ packed(Array($0.utf8)) })
      else { return nil }
      return bytes[..<place.lowerBound] + packed + bytes[place.upperBound...]
    }
  }
}

extension MessagePackText {
  /// Returns the bytes of a value of the text; nil for a part of a value.
  fileprivate func place(of view: JSONView) -> Range<Int>? {
    let start = view.range.lowerBound
    return places.first { $0.json == start }?.packed
  }
}
