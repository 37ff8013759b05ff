internal import GatewayCore
internal import GatewayTokens

/// The one JSON object a message or a body is, its members read with the errors a peer is told: which member, and what
/// it must be, never what it was.
///
/// Holds on to the bytes it was read from, so it must not outlive them.
struct JSONObject {
  private let root: JSONView
  private let text: UnsafeRawBufferPointer

  /// Reads the object that `text` is; refuses what is malformed, or nested more than 64 deep.
  init(_ text: UnsafeRawBufferPointer) throws(JSONError) {
    let document = try JSONDocument(text, sizeMax: text.count, depthMax: 64)
    root = document.root
    guard root.isObject else { throw .malformed(position: 0) }
    self.text = text
  }

  /// The string of that name, of that many UTF-8 bytes; nil if there is no such member.
  func string(_ name: StaticString, bytes: ClosedRange<Int>) throws(GatewayError) -> String? {
    guard let value = root[name] else { return nil }
    guard let length = value.withUTF8(\.count), bytes.contains(length), let string = value.string else {
      let limit = bytes.upperBound == .max ? "" : " of \(bytes.lowerBound) to \(bytes.upperBound) bytes"
      throw .invalidParameter.detailed("\(name) must be a string\(limit)")
    }
    return string
  }

  /// The number of that name; nil if there is no such member.
  func number(_ name: StaticString) throws(GatewayError) -> Double? {
    guard let value = root[name] else { return nil }
    guard let number = value.number else { throw .invalidParameter.detailed("\(name) must be a number") }
    return number
  }

  /// The array of strings of that name, of that many elements; nil if there is no such member.
  func strings(_ name: StaticString, count: ClosedRange<Int>) throws(GatewayError) -> [String]? {
    guard let value = root[name] else { return nil }
    guard let elements = value.elements, count.contains(elements.count) else {
      throw Self.wrong(name, count)
    }
    var strings: [String] = []
    strings.reserveCapacity(elements.count)
    for element in elements {
      guard let string = element.string else { throw Self.wrong(name, count) }
      strings.append(string)
    }
    return strings
  }

  private static func wrong(_ name: StaticString, _ count: ClosedRange<Int>) -> GatewayError {
    .invalidParameter.detailed("\(name) must be an array of \(count.lowerBound) to \(count.upperBound) strings")
  }

  /// The value of that name as it stands in the text, nested at most `depth` deep; nil if there is no such member.
  func verbatim(_ name: StaticString, depth: Int) throws(GatewayError) -> String? {
    guard root[name] != nil else { return nil }
    guard let found = JSONSlice(member: name, of: text) else {
      throw .invalidParameter.detailed("write the name \(name) without escapes")
    }
    guard found.depth <= depth else {
      throw .invalidParameter.detailed("\(name) must be nested at most \(depth) deep")
    }
    return String(decoding: text[found.range], as: UTF8.self)
  }

  /// The member of that name, whatever it is.
  subscript(_ name: StaticString) -> JSONView? {
    root[name]
  }
}
