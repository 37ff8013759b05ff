internal import GatewayCore
internal import GatewayJSON

/// A protocol buffers message (proto3) to send, encoded as bytes or, by the JSON mapping of proto3, as text. Fields
/// with their type's default value are left out, as both encodings require.
///
/// A dozen lines for each message are less than a library with its generator: eight messages are sent, three are read.
struct ProtobufMessage: Hashable, Sendable {
  /// The value of a field.
  indirect enum Value: Hashable, Sendable {
    case text(String)
    case number(UInt32)
    case flag(Bool)
    /// A value of an enumeration: its number and its JSON name.
    case choice(Int, String)
    case time(WallTime)
    case message(ProtobufMessage)
    case texts([String])
    case messages([ProtobufMessage])
  }

  private struct Field: Hashable, Sendable {
    var number: Int
    var name: String
    var value: Value
  }

  private var fields: [Field] = []

  init() {}

  /// Creates a message with one field.
  init(_ number: Int, _ name: String, _ value: Value) {
    put(number, name, value)
  }

  /// Adds a field with its number in the bytes and its name in JSON.
  mutating func put(_ number: Int, _ name: String, _ value: Value) {
    fields.append(Field(number: number, name: name, value: value))
  }

  // MARK: Bytes

  private enum WireType {
    static let varint = 0
    static let delimited = 2
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for field in fields { Self.write(field.number, field.value, to: &bytes) }
    return bytes
  }

  private static func write(_ number: Int, _ value: Value, to bytes: inout [UInt8]) {
    switch value {
    case .text(let text): if !text.isEmpty { write(number, delimited: Array(text.utf8), to: &bytes) }
    case .number(let value): write(number, varint: UInt64(value), to: &bytes)
    case .flag(let flag): write(number, varint: flag ? 1 : 0, to: &bytes)
    case .choice(let value, _): write(number, varint: UInt64(bitPattern: Int64(value)), to: &bytes)
    case .time(let time): write(number, delimited: timestamp(time), to: &bytes)
    case .message(let message): write(number, delimited: message.bytes, to: &bytes)
    case .texts(let texts): for text in texts { write(number, delimited: Array(text.utf8), to: &bytes) }
    case .messages(let messages): for message in messages { write(number, delimited: message.bytes, to: &bytes) }
    }
  }

  private static func write(_ number: Int, delimited payload: [UInt8], to bytes: inout [UInt8]) {
    write(varint: UInt64(number) << 3 | UInt64(WireType.delimited), to: &bytes)
    write(varint: UInt64(payload.count), to: &bytes)
    bytes += payload
  }

  private static func write(_ number: Int, varint value: UInt64, to bytes: inout [UInt8]) {
    guard value != 0 else { return }
    write(varint: UInt64(number) << 3 | UInt64(WireType.varint), to: &bytes)
    write(varint: value, to: &bytes)
  }

  private static func write(varint value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Returns a `google.protobuf.Timestamp` of a time not before 1970.
  private static func timestamp(_ time: WallTime) -> [UInt8] {
    let nanoseconds = UInt64(max(0, time.nanoseconds))
    var bytes: [UInt8] = []
    write(1, varint: nanoseconds / 1_000_000_000, to: &bytes)
    write(2, varint: nanoseconds % 1_000_000_000, to: &bytes)
    return bytes
  }

  // MARK: JSON

  /// The message as one JSON object.
  var json: [UInt8] {
    var json = JSONWriter(capacity: 256)
    write(to: &json)
    return json.bytes
  }

  private func write(to json: inout JSONWriter) {
    json.beginObject()
    for field in fields { Self.write(field, to: &json) }
    json.endObject()
  }

  private static func write(_ field: Field, to json: inout JSONWriter) {
    switch field.value {
    case .text(""), .number(0), .flag(false), .choice(0, _), .texts([]), .messages([]): return
    default: json.name(field.name)
    }
    switch field.value {
    case .text(let text): json.string(text)
    case .number(let number): json.integer(Int64(number))
    case .flag(let flag): json.bool(flag)
    case .choice(_, let name): json.string(name)
    case .time(let time): json.string(StreamDates.text(time))
    case .message(let message): message.write(to: &json)
    case .texts(let texts):
      json.beginArray()
      for text in texts { json.string(text) }
      json.endArray()
    case .messages(let messages):
      json.beginArray()
      for message in messages { message.write(to: &json) }
      json.endArray()
    }
  }
}
