/// The state of the end of a text that is no valid JSON: present, or missing because the file is truncated.
enum JSONEnding {
  case there
  case missing

  /// Creates the state; `missing` if the text begins an object that it never closes.
  init(of bytes: [UInt8]) {
    guard bytes.first(where: { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }) == UInt8(ascii: "{") else {
      self = .there
      return
    }
    var depth = 0
    var isText = false
    var isEscaped = false
    for byte in bytes {
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isText = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    self = depth > 0 || isText ? .missing : .there
  }
}
