package import GatewayCore
package import GatewayTokens

/// A JSON object of a request, its members read with the errors Stream gives: code 4, the member in `exception_fields`.
/// A member that is null counts as absent.
package struct StreamBody: Sendable {
  package let view: JSONView
  /// The names of the objects around it, for errors: empty, or with a dot at its end.
  private let prefix: String

  package static let empty = StreamBody(view: try! JSONDocument.parse("{}").root, prefix: "")

  private init(view: JSONView, prefix: String) {
    self.view = view
    self.prefix = prefix
  }

  /// The object that `bytes` are; empty if there are none.
  package init(_ bytes: [UInt8], _ what: String = "body") throws(StreamError) {
    guard !bytes.isEmpty else {
      self = .empty
      return
    }
    do throws(JSONError) {
      let root = try JSONDocument.parse(bytes, sizeMax: bytes.count).root
      guard root.isObject else { throw JSONError.malformed(position: 0) }
      self.init(view: root, prefix: "")
    } catch {
      throw .input("the \(what) must be a JSON object; it is \(error)")
    }
  }

  /// An object inside another.
  package init(_ view: JSONView, within name: String) throws(StreamError) {
    guard view.isObject else { throw .input("field \"\(name)\" must be an object", field: name) }
    self.init(view: view, prefix: name + ".")
  }

  /// The value of that name, nil if it is absent or null.
  package func value(_ name: String) -> JSONView? {
    guard let value = view[member: name], !value.isNull else { return nil }
    return value
  }

  /// Whether there is a member of that name, even if it is null.
  package func has(_ name: String) -> Bool { view[member: name] != nil }

  /// The string, of `bytes` UTF-8 bytes at most.
  package func string(_ name: String, bytes: Int = 4096) throws(StreamError) -> String? {
    guard let value = value(name) else { return nil }
    guard let string = value.string, string.utf8.count <= bytes else {
      throw wrong(name, "a string of at most \(bytes) bytes")
    }
    return string
  }

  /// The string that must be there.
  package func requiredString(_ name: String, bytes: Int = 4096) throws(StreamError) -> String {
    guard let string = try string(name, bytes: bytes), !string.isEmpty else {
      throw .input("\(prefix)\(name) is a required field", field: prefix + name)
    }
    return string
  }

  package func bool(_ name: String) throws(StreamError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let bool = value.bool else { throw wrong(name, "true or false") }
    return bool
  }

  package func integer(_ name: String, in range: ClosedRange<Int64> = .min ... .max) throws(StreamError) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let integer = value.integer, range.contains(integer) else {
      throw wrong(name, "an integer of \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  package func object(_ name: String) throws(StreamError) -> StreamBody? {
    guard let value = value(name) else { return nil }
    return try StreamBody(value, within: prefix + name)
  }

  /// The elements of an array of at most `count`.
  package func array(_ name: String, count: Int = 100) throws(StreamError) -> [JSONView]? {
    guard let value = value(name) else { return nil }
    guard let elements = value.elements, elements.count <= count else {
      throw wrong(name, "an array of at most \(count)")
    }
    return elements
  }

  package func strings(_ name: String, count: Int = 100) throws(StreamError) -> [String]? {
    guard let elements = try array(name, count: count) else { return nil }
    let strings = elements.compactMap(\.string)
    guard strings.count == elements.count else { throw wrong(name, "an array of strings") }
    return strings
  }

  /// A date, as RFC 3339 text or as whole nanoseconds since 1970: clients of both families send either.
  package func date(_ name: String) throws(StreamError) -> WallTime? {
    guard let value = value(name) else { return nil }
    if let nanoseconds = value.integer { return WallTime(nanoseconds: nanoseconds) }
    guard let date = value.string.flatMap(StreamDates.read) else { throw wrong(name, "a date as RFC 3339 has it") }
    return date
  }

  package func wrong(_ name: String, _ expected: String) -> StreamError {
    .input("field \"\(prefix)\(name)\" must be \(expected)", field: prefix + name)
  }
}
