internal import CJansson
internal import GatewayCore

/// A JSON object as jansson read it (RFC 8259): strict UTF-8, no member twice, nothing after the closing brace.
///
/// Holds on to the bytes it was read from, so it must not outlive them.
struct JSONObject: ~Copyable {
  private let root: UnsafeMutablePointer<json_t>
  private let text: UnsafeRawBufferPointer

  /// Reads the object that `text` is. Throws what is wrong with it and at which byte.
  init(_ text: UnsafeRawBufferPointer) throws(JSONDefect) {
    var failure = json_error_t()
    let flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY
    let bytes = text.assumingMemoryBound(to: CChar.self)
    guard !text.isEmpty, let root = json_loadb(bytes.baseAddress, bytes.count, Int(flags), &failure) else {
      throw text.isEmpty ? JSONDefect("empty") : Self.defect(failure)
    }
    guard root.pointee.type == JSON_OBJECT else {
      json_decref(root)
      throw JSONDefect("a JSON value, but not an object")
    }
    self.root = root
    self.text = text
  }

  deinit {
    json_decref(root)
  }

  /// Whether there is a member of that name, even if it is null.
  func has(_ name: StaticString) -> Bool {
    member(name) != nil
  }

  /// The string of that name, of that many UTF-8 bytes; nil if there is no such member.
  func string(_ name: StaticString, bytes: ClosedRange<Int>) throws(GatewayError) -> String? {
    guard let value = member(name) else { return nil }
    guard value.pointee.type == JSON_STRING, bytes.contains(json_string_length(value)) else {
      let limit = bytes.upperBound == .max ? "" : " of \(bytes.lowerBound) to \(bytes.upperBound) bytes"
      throw .invalidParameter.detailed("\(name) must be a string\(limit)")
    }
    return Self.string(value)
  }

  /// The finite number of that name; nil if there is no such member.
  func number(_ name: StaticString) throws(GatewayError) -> Double? {
    guard let value = member(name) else { return nil }
    switch value.pointee.type {
    case JSON_INTEGER: return Double(json_integer_value(value))
    case JSON_REAL: return json_real_value(value)
    default: throw .invalidParameter.detailed("\(name) must be a number")
    }
  }

  /// The array of strings of that name, of that many elements; nil if there is no such member.
  func strings(_ name: StaticString, count: ClosedRange<Int>) throws(GatewayError) -> [String]? {
    guard let value = member(name) else { return nil }
    let wanted = "\(name) must be an array of \(count.lowerBound) to \(count.upperBound) strings"
    guard value.pointee.type == JSON_ARRAY, count.contains(json_array_size(value)) else {
      throw .invalidParameter.detailed(wanted)
    }
    var strings: [String] = []
    for index in 0..<json_array_size(value) {
      guard let element = json_array_get(value, index), element.pointee.type == JSON_STRING else {
        throw .invalidParameter.detailed(wanted)
      }
      strings.append(Self.string(element))
    }
    return strings
  }

  /// The value of that name as it stands in the text, nested at most `depth` deep; nil if there is no such member.
  func verbatim(_ name: StaticString, depth: Int) throws(GatewayError) -> String? {
    guard member(name) != nil else { return nil }
    guard let found = JSONSlice(member: name, of: text) else {
      throw .invalidParameter.detailed("write the name \(name) without escapes")
    }
    guard found.depth <= depth else {
      throw .invalidParameter.detailed("\(name) must be nested at most \(depth) deep")
    }
    return String(decoding: text[found.range], as: UTF8.self)
  }

  /// The object inside of that name; nil if there is none, or it is of another type.
  func object<Result>(_ name: StaticString, _ body: (borrowing JSONObject) -> Result) -> Result? {
    guard let value = member(name), value.pointee.type == JSON_OBJECT else { return nil }
    return body(JSONObject(inner: json_incref(value), text: text))
  }

  private init(inner: UnsafeMutablePointer<json_t>, text: UnsafeRawBufferPointer) {
    root = inner
    self.text = text
  }

  private func member(_ name: StaticString) -> UnsafeMutablePointer<json_t>? {
    name.withUTF8Buffer { name in
      name.withMemoryRebound(to: CChar.self) { json_object_getn(root, $0.baseAddress, $0.count) }
    }
  }

  private static func string(_ value: UnsafePointer<json_t>) -> String {
    let bytes = UnsafeRawBufferPointer(start: json_string_value(value), count: json_string_length(value))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// jansson's own text quotes the input, so only its code (in the last byte of the text) and the place are told.
  private static func defect(_ failure: json_error_t) -> JSONDefect {
    let code = withUnsafeBytes(of: failure.text) { UInt32($0[$0.count - 1]) }
    let what =
      switch json_error_code(rawValue: code) {
      case json_error_duplicate_key: "a member twice"
      case json_error_invalid_utf8: "not UTF-8"
      case json_error_null_character, json_error_null_byte_in_key: "the character U+0000 in a string"
      case json_error_numeric_overflow: "a number too large"
      case json_error_stack_overflow: "nested too deep"
      case json_error_premature_end_of_input: "JSON that ends too early"
      case json_error_end_of_input_expected: "something after the JSON value"
      default: "not JSON"
      }
    return JSONDefect("\(what), at byte \(max(0, Int(failure.position)))")
  }
}
