/// Names in the form of a random UUID (RFC 9562 section 5.4), e.g. for the messages of a client. Equal numbers give
/// equal names, so that a storm is repeatable.
package enum ClientUUID {
  package static func text(_ client: UInt64, _ message: UInt32) -> String {
    let digits = Array((padded(client) + padded(UInt64(message) &* 0x9E37_79B9_7F4A_7C15 | 1)).utf8)
    let part = { (range: Range<Int>) in String(decoding: digits[range], as: UTF8.self) }
    return "\(part(0..<8))-\(part(8..<12))-4\(part(13..<16))-a\(part(17..<20))-\(part(20..<32))"
  }

  private static func padded(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
