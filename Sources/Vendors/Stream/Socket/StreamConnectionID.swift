internal import GatewayCore

/// The names of connections on Stream's wire: in the form of a UUID, which clients expect.
enum StreamConnectionID {
  /// Returns 36 characters: the number of the name in hexadecimal digits, the rest fixed.
  static func text(_ id: ConnectionID) -> String {
    let digits = String(id.rawValue, radix: 16)
    let padded = Array((String(repeating: "0", count: 16 - digits.count) + digits).utf8)
    let parts = [padded[0..<8], padded[8..<12], padded[12..<16]].map { String(decoding: $0, as: UTF8.self) }
    return "\(parts[0])-\(parts[1])-\(tail[0])-\(tail[1])-\(parts[2])\(tail[2])"
  }

  private static let tail = ["4000", "8000", "00000000"]

  /// Returns the connection that ``text(_:)`` names; nil for text in another form.
  static func read(_ text: String) -> ConnectionID? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 5, parts.map(\.utf8.count) == [8, 4, 4, 4, 12], parts[2] == tail[0], parts[3] == tail[1],
      parts[4].hasSuffix(tail[2]),
      let raw = UInt64("\(parts[0])\(parts[1])\(parts[4].prefix(4))", radix: 16)
    else { return nil }
    let id = ConnectionID(rawValue: raw)
    // Numbers can be parsed from more forms than they are written in.
    return Name(self.text(id)) == Name(text) ? id : nil
  }
}
