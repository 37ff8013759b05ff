internal import CJansson
internal import Glibc

/// One strictly parsed JSON text.
///
/// It is an object or array of valid UTF-8 and may be followed by white space only (RFC 8259). No object has two members of one
/// name, e.g. `{"exp":1,"exp":2}` (RFC 7519 section 4). No string contains NUL, integers have 64 bits, and reals are finite.
///
/// jansson parses the text once, unless it is a plain object, whose bytes are kept. A value is copied only when a ``JSONView``
/// is asked for it.
package final class JSONDocument: @unchecked Sendable {
  // Unchecked, because the tree is a C pointer; it is never changed after parsing, and views count no references on it.
  /// The parsed tree; nil for a plain object.
  private let tree: UnsafeMutablePointer<json_t>?
  /// The text of a plain object.
  let bytes: [UInt8]
  /// The places of a plain object's members.
  let table: FlatTable

  /// The longest text read unless another limit is given, in bytes.
  package static let sizeMax = 65_536
  /// The most levels that arrays and objects may nest unless another limit is given.
  package static let depthMax = 32

  /// Parses `bytes`. Throws for more than `sizeMax` bytes and for more than `depthMax` levels of arrays and objects, before it
  /// allocates anything. With `integersOfAnySize` every number is read as a real, so that none is too large for 64 bits.
  package init(
    _ bytes: UnsafeRawBufferPointer, sizeMax: Int = JSONDocument.sizeMax, depthMax: Int = JSONDocument.depthMax,
    integersOfAnySize: Bool = false
  ) throws(JSONError) {
    guard bytes.count <= sizeMax else { throw .tooLarge(limit: sizeMax) }
    if depthMax > 0, !integersOfAnySize, let table = FlatTable(bytes) {
      self.bytes = Array(bytes)
      self.table = table
      tree = nil
      return
    }
    guard !Self.nests(bytes, deeperThan: depthMax) else { throw .tooDeep(limit: depthMax) }
    guard let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress else { throw .malformed(position: 0) }
    // JSON text never contains NUL, but jansson 2.14 skips one after a number.
    if let found = memchr(start, 0, bytes.count) {
      throw .malformed(position: UnsafeRawPointer(found) - UnsafeRawPointer(start))
    }
    var error = json_error_t()
    let flags = Int(JSON_REJECT_DUPLICATES) | (integersOfAnySize ? Int(JSON_DECODE_INT_AS_REAL) : 0)
    guard let parsed = json_loadb(start, bytes.count, flags, &error) else {
      throw JSONError(error)
    }
    self.bytes = []
    table = FlatTable()
    tree = parsed
  }

  /// Parses an array of bytes, as ``init(_:sizeMax:depthMax:integersOfAnySize:)`` does.
  package static func parse(
    _ bytes: [UInt8], sizeMax: Int = JSONDocument.sizeMax, depthMax: Int = JSONDocument.depthMax
  ) throws(JSONError) -> JSONDocument {
    try bytes.span.bytes.withUnsafeBytes { (buffer) throws(JSONError) in
      try JSONDocument(buffer, sizeMax: sizeMax, depthMax: depthMax)
    }
  }

  /// Parses a text, as ``init(_:sizeMax:depthMax:integersOfAnySize:)`` does.
  package static func parse(
    _ text: String, sizeMax: Int = JSONDocument.sizeMax, depthMax: Int = JSONDocument.depthMax
  ) throws(JSONError) -> JSONDocument {
    try parse(Array(text.utf8), sizeMax: sizeMax, depthMax: depthMax)
  }

  deinit {
    if let tree { json_decref(tree) }
  }

  /// The value of the whole text.
  package var root: JSONView {
    tree.map { JSONView(document: self, value: $0) } ?? JSONView(rootOfPlain: self)
  }

  /// Returns whether arrays and objects nest deeper than `limit`. jansson's own limit (2048) is a constant of its build.
  private static func nests(_ bytes: UnsafeRawBufferPointer, deeperThan limit: Int) -> Bool {
    // Nearly every text opens fewer brackets than the limit allows levels; counting them needs no state.
    var opened = 0
    for byte in bytes where byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { opened += 1 }
    guard opened > limit else { return false }

    var depth = 0
    var inString = false
    var escaped = false
    for byte in bytes {
      if inString {
        if escaped {
          escaped = false
        } else if byte == UInt8(ascii: "\\") {
          escaped = true
        } else if byte == UInt8(ascii: "\"") {
          inString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        inString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth > limit { return true }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
      default:
        break
      }
    }
    return false
  }
}
