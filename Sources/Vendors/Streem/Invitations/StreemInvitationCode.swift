internal import GatewayTokens

/// The nine digits of an invitation. Only a hash is stored, so the time of a look-up reveals nothing about similar
/// codes.
struct StreemInvitationCode: Hashable {
  private static let count = 9

  let digits: String

  /// Reads the code in `text`, ignoring dashes and spaces; fails unless nine digits are left.
  init?(_ text: String) {
    let digits = text.filter { $0 != "-" && $0 != " " }
    guard digits.utf8.count == Self.count, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.digits = digits
  }

  private init(number: UInt32) {
    let text = String(number)
    digits = String(repeating: "0", count: Self.count - text.utf8.count) + text
  }

  /// Returns a new code; all codes are equally likely.
  static func draw(from secrets: Secrets) -> StreemInvitationCode {
    while true {
      let word = secrets.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      // Numbers above the last multiple of a billion would make some codes more likely.
      if word < 4_000_000_000 { return StreemInvitationCode(number: word % 1_000_000_000) }
    }
  }

  /// The code in three groups of three digits with dashes, as the vendor shows it.
  var text: String {
    let digits = Array(digits)
    return stride(from: 0, to: Self.count, by: 3).map { String(digits[$0..<$0 + 3]) }.joined(separator: "-")
  }

  var hash: [UInt8] { SHA256.digest("streem invitation \(digits)".utf8) }
}
