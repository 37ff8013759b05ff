package import GatewayCore
package import GatewayJSON

/// A JSON object of a request, its members read with the errors Stream gives: code 4, the member in `exception_fields`.
package typealias StreamBody = Fields<StreamWords>

/// Stream's words for what is wrong with a member: code 4, for instance. Text is counted in bytes.
package enum StreamWords: FieldWords {
  package static func length(of text: String) -> Int { text.utf8.count }

  package static func failure(_ fault: FieldFault, _ name: String, path field: String) -> StreamError {
    let expected =
      switch fault {
      case .missing, .empty: nil as String?
      case .notText(let max), .tooLong(let max): "a string of at most \(max) bytes"
      case .notFlag: "true or false"
      case .notInteger(let range): "an integer of \(range.lowerBound) to \(range.upperBound)"
      case .notObject: "an object"
      case .notArray(let max), .tooMany(let max): "an array of at most \(max)"
      case .notTexts: "an array of strings"
      }
    guard let expected else { return .input("\(field) is a required field", field: field) }
    return wrong(field, expected)
  }

  fileprivate static func wrong(_ field: String, _ expected: String) -> StreamError {
    .input("field \"\(field)\" must be \(expected)", field: field)
  }

  fileprivate static let empty = StreamBody(try! JSONDocument.parse("{}").root)!
}

extension Fields<StreamWords> {
  package static var empty: Self { StreamWords.empty }

  /// The object that `bytes` are; empty if there are none.
  package init(_ bytes: [UInt8], _ what: String = "body") throws(StreamError) {
    guard !bytes.isEmpty else {
      self = .empty
      return
    }
    do throws(JSONError) {
      guard let body = StreamBody(try JSONDocument.parse(bytes, sizeMax: bytes.count).root) else {
        throw JSONError.malformed(position: 0)
      }
      self = body
    } catch {
      throw .input("the \(what) must be a JSON object; it is \(error)")
    }
  }

  /// An object inside another.
  package init(_ view: JSONView, inside name: String) throws(StreamError) {
    guard let body = StreamBody(view, within: name) else {
      throw .input("field \"\(name)\" must be an object", field: name)
    }
    self = body
  }

  /// The string, of 4,096 bytes at most.
  package func string(_ name: String) throws(StreamError) -> String? { try string(name, max: 4096) }

  /// The string that must be there, of 4,096 bytes at most.
  package func requiredString(_ name: String) throws(StreamError) -> String { try requiredString(name, max: 4096) }

  /// The elements of an array of at most 100.
  package func array(_ name: String) throws(StreamError) -> [JSONView]? { try array(name, count: 100) }

  package func strings(_ name: String) throws(StreamError) -> [String]? { try strings(name, count: 100) }

  /// A date, as RFC 3339 text or as whole nanoseconds since 1970: clients of both families send either.
  package func date(_ name: String) throws(StreamError) -> WallTime? {
    guard let value = value(name) else { return nil }
    if let nanoseconds = value.integer { return WallTime(nanoseconds: nanoseconds) }
    guard let date = value.string.flatMap(StreamDates.read) else { throw wrong(name, "a date as RFC 3339 has it") }
    return date
  }

  /// What is told of a member of another kind than the usual ones.
  package func wrong(_ name: String, _ expected: String) -> StreamError { StreamWords.wrong(path(of: name), expected) }
}
