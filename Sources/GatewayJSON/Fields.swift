/// The members of a received JSON object, e.g. of a request's body, read with the errors of one vendor. A member that is null
/// counts as absent.
package struct Fields<Words: FieldWords>: Sendable {
  package typealias Failure = Words.Failure

  /// The object itself.
  package let view: JSONView
  /// The names of the objects around it; empty for the outermost.
  private let path: String

  /// Reads the members of `view`; nil if it is no object.
  package init?(_ view: JSONView, within path: String = "") {
    guard view.isObject else { return nil }
    self.view = view
    self.path = path
  }

  /// Returns the name with the names of the objects around it, e.g. `custom.color`.
  package func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// Returns the error for a member.
  package func failure(_ fault: FieldFault, _ name: String) -> Failure {
    Words.failure(fault, name, path: path(of: name))
  }

  /// Returns the value of that name, of any kind; nil for null.
  package func value(_ name: String) -> JSONView? {
    guard let value = view[member: name], !value.isNull else { return nil }
    return value
  }

  /// Returns whether there is a member of that name, even if it is null.
  package func has(_ name: String) -> Bool { view[member: name] != nil }

  /// Returns the text of that name. `max` is its longest length in the units that the vendor counts.
  package func string(_ name: String, max: Int) throws(Failure) -> String? {
    guard let value = value(name) else { return nil }
    return try text(value, name, max)
  }

  /// Returns the text of that name, which must be present and not empty.
  package func requiredString(_ name: String, max: Int) throws(Failure) -> String {
    guard let text = try string(name, max: max) else { throw failure(.missing, name) }
    guard !text.isEmpty else { throw failure(.empty, name) }
    return text
  }

  private func text(_ value: JSONView, _ name: String, _ max: Int) throws(Failure) -> String {
    guard let text = value.string else { throw failure(.notText(lengthMax: max), name) }
    guard Words.length(of: text) <= max else { throw failure(.tooLong(lengthMax: max), name) }
    return text
  }

  package func bool(_ name: String) throws(Failure) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let flag = value.bool else { throw failure(.notFlag, name) }
    return flag
  }

  /// Returns the number of that name, written without a fraction.
  package func integer(_ name: String, in range: ClosedRange<Int64> = .min ... .max) throws(Failure) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let integer = value.integer, range.contains(integer) else { throw failure(.notInteger(range), name) }
    return integer
  }

  /// Returns the object of that name.
  package func object(_ name: String) throws(Failure) -> Self? {
    guard let value = value(name) else { return nil }
    guard let object = Self(value, within: path(of: name)) else {
      throw failure(.notObject, name)
    }
    return object
  }

  /// Returns the elements of the array of that name, at most `count`.
  package func array(_ name: String, count: Int) throws(Failure) -> [JSONView]? {
    guard let value = value(name) else { return nil }
    guard let elements = value.elements else { throw failure(.notArray(countMax: count), name) }
    guard elements.count <= count else { throw failure(.tooMany(countMax: count), name) }
    return elements
  }

  /// Returns the texts of that name, at most `count`. `max` is the longest length of each in the units that the vendor counts.
  package func strings(_ name: String, count: Int, max: Int = .max) throws(Failure) -> [String]? {
    guard let elements = try array(name, count: count) else { return nil }
    var strings: [String] = []
    for element in elements {
      guard element.string != nil else { throw failure(.notTexts, name) }
      strings.append(try text(element, name, max))
    }
    return strings
  }

  /// Returns the results of `read` for each object of the array of that name, at most `count`.
  package func objects<T>(
    _ name: String, count: Int, _ read: (Self) throws(Failure) -> T
  ) throws(Failure) -> [T]? {
    guard let elements = try array(name, count: count) else { return nil }
    var results: [T] = []
    for element in elements {
      guard let object = Self(element, within: path(of: name)) else {
        throw failure(.notObject, name)
      }
      results.append(try read(object))
    }
    return results
  }
}
