extension HTTPRequest {
  /// The value of the request's Host field (RFC 9110 section 7.2): a name or an address, with or without a port. Nil if
  /// there is no such field, or if it contains a character that would change the meaning of an address built from it.
  package var host: String? {
    guard let host = header("host"), (1...255).contains(host.utf8.count), host.utf8.allSatisfy(Self.mayStandInHost)
    else { return nil }
    return host
  }

  private static func mayStandInHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"),
      UInt8(ascii: "["), UInt8(ascii: "]"):
      true
    default: false
    }
  }
}
