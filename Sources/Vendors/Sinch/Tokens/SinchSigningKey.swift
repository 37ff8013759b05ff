internal import GatewayCore
internal import GatewayTokens

/// The signing key of a registration token.
enum SinchSigningKey {
  /// The prefix of `kid`. Despite the name it is not RFC 5869, but a single HMAC.
  static let prefix = "hkdfv1-"

  /// Returns HMAC-SHA256 of the date's eight ASCII digits with the decoded secret: 32 bytes.
  static func derive(_ secret: SinchSecret, date: String) -> [UInt8] {
    HMACSHA256.code(key: secret.bytes, date.utf8)
  }

  /// Returns the `kid` of tokens signed at `time`, by the UTC date.
  static func keyID(at time: WallTime) -> String {
    prefix + SinchCalendar.digits(of: time)
  }

  /// Returns the digits after the prefix and their day; nil unless `keyID` has that form, in ASCII digits.
  static func date(of keyID: String) -> (digits: String, day: Int64)? {
    let text = Array(keyID.utf8)
    guard text.starts(with: prefix.utf8) else { return nil }
    let digits = Array(text.dropFirst(prefix.utf8.count))
    guard let day = SinchCalendar.day(digits: digits) else { return nil }
    return (String(decoding: digits, as: UTF8.self), day)
  }
}
