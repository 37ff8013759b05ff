internal import GatewayCore

/// The parameters of a request. One without a value counts as absent, and none may occur twice (RFC 6749 section 3.1).
struct OpenIDParameters {
  /// The maximum size of a value in bytes: a sealed request, or an ID token as a hint, is the longest.
  static let valueBytesMax = 16_384

  private let values: [Name: String]
  private let repeated: Set<Name>

  init(_ fields: [HTTPField]) {
    var values: [Name: String] = [:]
    var repeated: Set<Name> = []
    for field in fields where values.updateValue(field.value, forKey: Name(field.name)) != nil {
      repeated.insert(Name(field.name))
    }
    self.values = values
    self.repeated = repeated
  }

  /// Reads the query of a GET or the form of a POST.
  init(_ request: HTTPRequest) throws(StreemFailure) {
    guard request.method == "POST" else {
      self.init(request.query)
      return
    }
    guard Self.isForm(request) else {
      throw StreemFailure(.invalidRequest, "the body must be application/x-www-form-urlencoded")
    }
    guard let text = String(validating: request.body, as: UTF8.self),
      let fields = QueryString.parameters(of: Substring(text))
    else { throw StreemFailure(.invalidRequest, "the form is not UTF-8") }
    self.init(fields)
  }

  /// Returns whether the body's type is a form.
  static func isForm(_ request: HTTPRequest) -> Bool {
    let type = request.header("content-type")?.prefix { $0 != ";" && $0 != " " }.lowercased()
    return type == "application/x-www-form-urlencoded"
  }

  /// Returns the value with that name; nil if it is absent or empty.
  subscript(name: Name) -> String? {
    values[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Throws if a parameter occurs twice or is too long.
  func check() throws(StreemFailure) {
    if let name = repeated.min() {
      throw StreemFailure(.invalidRequest, "\(Self.plain(name.text)) is there more than once")
    }
    if values.values.contains(where: { $0.utf8.count > Self.valueBytesMax }) {
      throw StreemFailure(.invalidRequest, "a parameter is longer than \(Self.valueBytesMax) bytes")
    }
    if values.values.contains(where: { $0.utf8.contains(0) }) {
      throw StreemFailure(.invalidRequest, "a parameter holds a NUL")
    }
  }

  /// Returns `text` with only the characters allowed in `error_description` (RFC 6749 section 5.2), shortened.
  private static func plain(_ text: String) -> String {
    String(text.prefix(40).filter { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.".contains($0)) })
  }

  func isRepeated(_ name: Name) -> Bool {
    repeated.contains(name)
  }
}
