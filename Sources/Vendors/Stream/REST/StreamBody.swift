internal import GatewayCore
internal import GatewayJSON

/// A request's JSON object, whose members are read with Stream's errors: code 4, with the member in `exception_fields`.
typealias StreamBody = Fields<StreamWords>

/// Stream's error messages for wrong members, with code 4. Text lengths are counted in bytes.
enum StreamWords: FieldWords {
  static func length(of text: String) -> Int { text.utf8.count }

  static func failure(_ fault: FieldFault, _ name: String, path field: String) -> StreamError {
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
  static var empty: Self { StreamWords.empty }

  /// Parses the object in `bytes`; an empty one if there are none.
  init(_ bytes: [UInt8], _ what: String = "body") throws(StreamError) {
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

  /// Reads an object inside another.
  init(_ view: JSONView, inside name: String) throws(StreamError) {
    guard let body = StreamBody(view, within: name) else {
      throw .input("field \"\(name)\" must be an object", field: name)
    }
    self = body
  }

  /// Reads an optional string of at most 4,096 bytes.
  func string(_ name: String) throws(StreamError) -> String? { try string(name, max: 4096) }

  /// Reads a required string of at most 4,096 bytes.
  func requiredString(_ name: String) throws(StreamError) -> String { try requiredString(name, max: 4096) }

  /// Reads an optional array of at most 100 elements.
  func array(_ name: String) throws(StreamError) -> [JSONView]? { try array(name, count: 100) }

  func strings(_ name: String) throws(StreamError) -> [String]? { try strings(name, count: 100) }

  /// Reads a date, as RFC 3339 text or whole nanoseconds since 1970: clients of both families send either.
  func date(_ name: String) throws(StreamError) -> WallTime? {
    guard let value = value(name) else { return nil }
    if let nanoseconds = value.integer { return WallTime(nanoseconds: nanoseconds) }
    guard let date = value.string.flatMap(StreamDates.read) else { throw wrong(name, "a date as RFC 3339 has it") }
    return date
  }

  /// Returns the error for a member of a kind that the other functions do not read.
  func wrong(_ name: String, _ expected: String) -> StreamError { StreamWords.wrong(path(of: name), expected) }
}
