internal import GatewayCore

/// The fields of a received protocol buffers message, read in one pass. Nested messages are read only when they are
/// asked for, so deep nesting costs nothing. Every byte string is either read or rejected.
struct ProtobufFields {
  /// The value of a field.
  enum Value {
    case varint(UInt64)
    case bytes(ArraySlice<UInt8>)
    /// Four or eight bytes, which nothing here uses.
    case fixed
  }

  private var fields: [(number: UInt64, value: Value)] = []

  /// Reads the fields. Throws for a varint of more than 64 bits or without an end, a length beyond the end, field
  /// number 0, or a group, which proto3 does not have.
  init(_ bytes: ArraySlice<UInt8>) throws(GatewayError) {
    var rest = bytes
    while !rest.isEmpty {
      let tag = try Self.varint(&rest)
      guard tag >> 3 != 0, tag >> 3 < 1 << 29 else { throw Self.malformed("a field has number \(tag >> 3)") }
      fields.append((tag >> 3, try Self.value(ofType: tag & 7, &rest)))
    }
  }

  private static func value(ofType type: UInt64, _ rest: inout ArraySlice<UInt8>) throws(GatewayError) -> Value {
    switch type {
    case 0:
      return .varint(try varint(&rest))
    case 1, 5:
      guard rest.count >= (type == 1 ? 8 : 4) else { throw malformed("a number ends too early") }
      rest.removeFirst(type == 1 ? 8 : 4)
      return .fixed
    case 2:
      let length = try varint(&rest)
      guard length <= UInt64(rest.count) else { throw malformed("a field is longer than the message") }
      let bytes = rest.prefix(Int(length))
      rest.removeFirst(Int(length))
      return .bytes(bytes)
    default:
      throw malformed("a field is of wire type \(type)")
    }
  }

  private static func varint(_ rest: inout ArraySlice<UInt8>) throws(GatewayError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard let byte = rest.popFirst() else { throw malformed("a varint ends too early") }
      // Only one bit of the tenth byte may be set.
      guard shift < 63 || byte < 2 else { break }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw malformed("a varint is of more than 64 bits")
  }

  private static func malformed(_ what: String) -> GatewayError {
    .malformedMessage.worded("not a message of protocol buffers: \(what)")
  }

  /// Returns the last value of that field. Values of another wire type are ignored, as the format requires.
  private func last<T>(_ number: Int, _ read: (Value) -> T?) -> T? {
    for field in fields.reversed() where field.number == UInt64(number) {
      if let value = read(field.value) { return value }
    }
    return nil
  }

  private func bytes(_ number: Int) -> ArraySlice<UInt8>? {
    last(number) { if case .bytes(let bytes) = $0 { bytes } else { nil } }
  }
}

extension ProtobufFields: StreamSignalFields {
  func text(_ field: StreamSignalField) throws(GatewayError) -> String? {
    guard let bytes = bytes(field.number) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.malformed("\(field.name) is no UTF-8") }
    return text
  }

  func number(_ field: StreamSignalField) -> Int? {
    // The value of an int32 or enum is in the lower 32 bits.
    last(field.number) { if case .varint(let value) = $0 { Int(Int32(truncatingIfNeeded: value)) } else { nil } }
  }

  func message(_ field: StreamSignalField) throws(GatewayError) -> ProtobufFields? {
    guard let bytes = bytes(field.number) else { return nil }
    return try ProtobufFields(bytes)
  }
}
