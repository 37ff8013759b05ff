/// A writer of the values of a message between nodes. Numbers are in network byte order, and lengths have four bytes.
struct BusWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  mutating func put(_ text: some Collection<UInt8>) {
    put(UInt32(clamping: text.count))
    bytes += text
  }

  mutating func put(_ text: String) { put(text.utf8) }

  mutating func put(_ name: Name) { put(name.text) }

  mutating func put(_ user: UserID) { put(user.name) }

  mutating func put(_ call: CallID) { put(call.cid) }

  mutating func put(_ connection: ConnectionID) { put(connection.rawValue) }

  mutating func put(_ time: WallTime) { put(time.nanoseconds) }

  mutating func put(_ duration: Duration) { put(duration.nanoseconds) }

  mutating func put(_ flag: Bool) { put(flag ? 1 : 0 as UInt8) }

  mutating func put(_ field: HTTPField) {
    put(field.name)
    put(field.value)
  }

  mutating func put(_ fingerprint: TokenFingerprint) {
    put(fingerprint.high)
    put(fingerprint.low)
  }

  mutating func put(_ life: NodeBoot) {
    put(UInt8(truncatingIfNeeded: life.node))
    put(UInt16(truncatingIfNeeded: life.boot))
  }

  /// Writes 0 for nil, or 1 and the value.
  mutating func put<Value>(_ value: Value?, _ write: (inout BusWriter, Value) -> Void) {
    put(value == nil ? 0 : 1 as UInt8)
    if let value { write(&self, value) }
  }

  /// Writes the number of the values, and each.
  mutating func put<Value>(all values: some Collection<Value>, _ write: (inout BusWriter, Value) -> Void) {
    put(UInt32(clamping: values.count))
    for value in values { write(&self, value) }
  }
}

/// The bytes are no message between nodes.
package struct BusGarbage: Error, Hashable {}

/// A reader of what a ``BusWriter`` has written. The bytes may be anything.
struct BusReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  var isAtEnd: Bool { rest.isEmpty }

  private mutating func take(_ count: Int) throws(BusGarbage) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw BusGarbage() }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type = Number.self
  ) throws(BusGarbage) -> Number {
    try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  mutating func bytes() throws(BusGarbage) -> [UInt8] { Array(try take(Int(try number(UInt32.self)))) }

  mutating func text() throws(BusGarbage) -> String {
    guard let text = String(validating: try take(Int(try number(UInt32.self))), as: UTF8.self) else {
      throw BusGarbage()
    }
    return text
  }

  mutating func user() throws(BusGarbage) -> UserID { UserID(try text()) }

  mutating func call() throws(BusGarbage) -> CallID {
    guard let call = CallID(cid: try text()) else { throw BusGarbage() }
    return call
  }

  mutating func connection() throws(BusGarbage) -> ConnectionID { ConnectionID(rawValue: try number()) }

  mutating func time() throws(BusGarbage) -> WallTime {
    WallTime(nanoseconds: Int64(bitPattern: try number()))
  }

  mutating func duration() throws(BusGarbage) -> Duration { .nanoseconds(Int64(bitPattern: try number())) }

  mutating func flag() throws(BusGarbage) -> Bool {
    switch try number(UInt8.self) {
    case 0: false
    case 1: true
    default: throw BusGarbage()
    }
  }

  mutating func field() throws(BusGarbage) -> HTTPField { HTTPField(try text(), try text()) }

  mutating func fingerprint() throws(BusGarbage) -> TokenFingerprint {
    TokenFingerprint(high: try number(), low: try number())
  }

  mutating func life() throws(BusGarbage) -> NodeBoot {
    NodeBoot(node: Int(try number(UInt8.self)), boot: Int(try number(UInt16.self)))
  }

  mutating func optional<Value>(
    _ read: (inout BusReader) throws(BusGarbage) -> Value
  ) throws(BusGarbage) -> Value? {
    switch try number(UInt8.self) {
    case 0: nil
    case 1: try read(&self)
    default: throw BusGarbage()
    }
  }

  mutating func all<Value>(
    _ read: (inout BusReader) throws(BusGarbage) -> Value
  ) throws(BusGarbage) -> [Value] {
    let count = Int(try number(UInt32.self))
    // Every value has a byte at least, so that the memory for them is bounded by the message.
    guard count <= rest.count else { throw BusGarbage() }
    var values: [Value] = []
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }
}
