package import GatewayCore
package import GatewayJSON

/// The JSON object of a message or a body. Errors of its members say which member is wrong and what it must be, never
/// what its value was.
///
/// The object keeps a pointer to the bytes that it was read from, so it must not outlive them.
package struct JSONObject {
  /// The maximum nesting depth of a text.
  private static let depthMax = 64

  private enum Content {
    case flat(FlatObject)
    case tree(JSONView)
  }

  private let content: Content
  private let text: UnsafeRawBufferPointer

  /// Reads the object in `text`. Rejects malformed text, nesting deeper than 64, and integers that don't fit into 64
  /// bits. With `integersOfAnySize` such integers are accepted; read them with ``verbatim(_:depth:)``.
  package init(_ text: UnsafeRawBufferPointer, integersOfAnySize: Bool = false) throws(JSONError) {
    self.text = text
    if let flat = FlatObject(text) {
      content = .flat(flat)
      return
    }
    let root = try Self.parse(text, integersOfAnySize)
    guard root.isObject else { throw .malformed(position: 0) }
    content = .tree(root)
  }

  private static func parse(_ text: UnsafeRawBufferPointer, _ integersOfAnySize: Bool) throws(JSONError) -> JSONView {
    do throws(JSONError) {
      return try JSONDocument(text, sizeMax: text.count, depthMax: depthMax).root
    } catch .numberOutOfRange where integersOfAnySize {
      return try JSONDocument(text, sizeMax: text.count, depthMax: depthMax, integersOfAnySize: true).root
    } catch {
      throw error
    }
  }

  /// Returns the result of `read` for a request's body. The body must be a JSON object; with `isOptional` it may be
  /// empty.
  package static func read<Content>(
    _ body: [UInt8], isOptional: Bool = false, integersOfAnySize: Bool = false,
    _ read: (JSONObject) throws(GatewayError) -> Content
  ) throws(GatewayError) -> Content {
    let bytes = isOptional && body.isEmpty ? Array("{}".utf8) : body
    return try bytes.span.bytes.withUnsafeBytes { (bytes) throws(GatewayError) in
      let object: JSONObject
      do throws(JSONError) {
        object = try JSONObject(bytes, integersOfAnySize: integersOfAnySize)
      } catch {
        throw .malformedRequest.detailed("the body must be a JSON object; it is \(error)")
      }
      return try read(object)
    }
  }

  /// Returns whether there is a member of that name, even if it is null.
  package func has(_ name: StaticString) -> Bool {
    switch content {
    case .flat(let flat): flat.has(name)
    case .tree(let root): root[name] != nil
    }
  }

  /// Returns the string of that name; nil if there is no such member. Throws unless its length in UTF-8 bytes is within
  /// `bytes`.
  package func string(_ name: StaticString, bytes: ClosedRange<Int> = 0...Int.max) throws(GatewayError) -> String? {
    let string =
      switch content {
      case .flat(let flat): flat.string(name)
      case .tree(let root): root[name]?.string
      }
    if let string, bytes.contains(string.utf8.count) { return string }
    guard has(name) else { return nil }
    let limit = bytes.upperBound == .max ? "" : " of \(bytes.lowerBound) to \(bytes.upperBound) bytes"
    throw .invalidParameter.detailed("\(name) must be a string\(limit)")
  }

  /// Returns the number of that name; nil if there is no such member.
  package func number(_ name: StaticString) throws(GatewayError) -> Double? {
    let number =
      switch content {
      case .flat(let flat): flat.number(name)
      case .tree(let root): root[name]?.number
      }
    guard number != nil || !has(name) else { throw .invalidParameter.detailed("\(name) must be a number") }
    return number
  }

  /// Returns the array of strings of that name; nil if there is no such member. Throws unless the number of elements is
  /// within `count`.
  package func strings(_ name: StaticString, count: ClosedRange<Int>) throws(GatewayError) -> [String]? {
    guard has(name) else { return nil }
    let elements = self[name]?.elements ?? []
    let strings = elements.compactMap(\.string)
    guard count.contains(elements.count), strings.count == elements.count else {
      throw .invalidParameter.detailed(
        "\(name) must be an array of \(count.lowerBound) to \(count.upperBound) strings")
    }
    return strings
  }

  /// Returns the text of the value of that name, nested at most `depth` deep; nil if there is no such member.
  package func verbatim(_ name: StaticString, depth: Int) throws(GatewayError) -> String? {
    guard has(name) else { return nil }
    if case .flat(let flat) = content, let range = flat.verbatim(name) {
      return String(decoding: text[range], as: UTF8.self)
    }
    guard let found = JSONSlice(member: name, of: text) else {
      throw .invalidParameter.detailed("write the name \(name) without escapes")
    }
    guard found.depth <= depth else {
      throw .invalidParameter.detailed("\(name) must be nested at most \(depth) deep")
    }
    return String(decoding: text[found.range], as: UTF8.self)
  }

  /// Returns the object or array of that name; nil if there is none.
  package subscript(_ name: StaticString) -> JSONView? {
    guard case .tree(let root) = content, let value = root[name], value.count != nil else { return nil }
    return value
  }
}
