/// The query of a request target, and the body of a form: application/x-www-form-urlencoded (WHATWG URL, section 5.1).
/// E.g. `a=1&b=x+y` has two parameters, the second being `x y`.
package enum QueryString {
  /// Returns the parameters in order, decoded; nil if one is not UTF-8. A parameter without `=` has an empty value, and
  /// a `%` that begins no escape stands for itself.
  package static func parameters(of query: Substring) -> [HTTPField]? {
    var parameters: [HTTPField] = []
    for part in query.utf8.split(separator: UInt8(ascii: "&")) {
      let equals = part.firstIndex(of: UInt8(ascii: "="))
      let rawValue = equals.map { part[part.index(after: $0)...] } ?? part[part.endIndex...]
      guard let name = decode(part[..<(equals ?? part.endIndex)]), let value = decode(rawValue) else { return nil }
      parameters.append(HTTPField(name, value))
    }
    return parameters
  }

  private static func decode(_ text: Substring.UTF8View.SubSequence) -> String? {
    guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(Substring(text))
    }
    let encoded = Array(text)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var index = 0
    while index < encoded.count {
      let byte = encoded[index]
      index += 1
      if byte == UInt8(ascii: "+") {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), index + 1 < encoded.count, let high = digit(encoded[index]),
        let low = digit(encoded[index + 1])
      {
        bytes.append(high << 4 | low)
        index += 2
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
