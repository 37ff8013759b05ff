/// One strictly parsed JSON text.
///
/// It is an object or array of valid UTF-8 and may be followed by white space only (RFC 8259). No object has two members of one
/// name, e.g. `{"exp":1,"exp":2}` (RFC 7519 section 4). No string contains NUL, integers have 64 bits, and reals are finite.
///
/// A value is copied only when a ``JSONView`` is asked for it.
package final class JSONDocument: Sendable {
  /// The text.
  let bytes: [UInt8]
  /// The places of a plain object's members.
  let table: FlatTable
  /// The places of all values; nil for a plain object.
  let index: JSONIndex?

  /// The longest text read unless another limit is given, in bytes.
  package static let sizeMax = 65_536
  /// The maximum number of levels that arrays and objects may nest unless another limit is given.
  package static let depthMax = 32

  /// Parses `bytes`. Throws for more than `sizeMax` bytes, before it allocates anything, and for more than `depthMax` levels of
  /// arrays and objects. With `integersOfAnySize` every number is read as a real, so that none is too large for 64 bits.
  package init(
    _ bytes: UnsafeRawBufferPointer, sizeMax: Int = JSONDocument.sizeMax, depthMax: Int = JSONDocument.depthMax,
    integersOfAnySize: Bool = false
  ) throws(JSONError) {
    guard bytes.count <= sizeMax else { throw .tooLarge(limit: sizeMax) }
    self.bytes = Array(bytes)
    if depthMax > 0, !integersOfAnySize, let table = FlatTable(bytes) {
      self.table = table
      index = nil
      return
    }
    table = FlatTable()
    index = try JSONIndex(self.bytes, JSONIndex.Rules(depthMax: depthMax, readsReals: integersOfAnySize))
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

  /// The value of the whole text.
  package var root: JSONView {
    JSONView(rootOf: self)
  }
}
