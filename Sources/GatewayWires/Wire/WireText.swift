internal import GatewayJSON

/// A received message, which is parsed once for all rules, e.g. `42["tick",1]`.
///
/// Not Sendable: it is used only while one message is read.
final class WireText {
  let bytes: [UInt8]
  private var documents: [Int: JSONDocument?] = [:]

  private static let sizeMax = 1 << 20

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns the JSON after that many bytes; nil if there is none.
  func json(behind count: Int) -> JSONView? {
    if let known = documents[count] { return known?.root }
    guard count <= bytes.count else { return nil }
    let document = try? JSONDocument.parse(Array(bytes[count...]), sizeMax: Self.sizeMax)
    documents[count] = .some(document)
    return document?.root
  }

  /// Returns the pointer's value after a prefix, where the member at `unpack` may be JSON as text.
  func find(_ pointer: JSONPointer, behind count: Int, unpacking unpack: JSONPointer?) -> JSONView? {
    guard let root = json(behind: count) else { return nil }
    if let view = pointer.find(in: root) { return view }
    guard let unpack, let inner = pointer.rest(behind: unpack), let text = unpack.find(in: root)?.string,
      let document = try? JSONDocument.parse(text)
    else { return nil }
    return inner.find(in: document.root)
  }
}

extension JSONView {
  /// A scalar as text, for values taken from a message.
  var scalarText: String? {
    switch kind {
    case .string: string
    case .integer, .real, .bool: text
    case .object, .array, .null: nil
    }
  }
}
