package import GatewayCore
internal import GatewayTokens

/// The key of a registration token: derived from the application's secret for the day that `kid` names,
/// `hkdfv1-20261124` for instance.
package enum SinchSigningKey {
  /// What `kid` begins with. Despite the name it is not RFC 5869: one HMAC, nothing more.
  static let prefix = "hkdfv1-"

  /// HMAC-SHA256 of the date's eight ASCII digits under the decoded secret: 32 bytes.
  package static func derive(_ secret: SinchSecret, date: String) -> [UInt8] {
    HMACSHA256.code(key: secret.bytes, date.utf8)
  }

  /// The `kid` of tokens that are signed at `time`: by the UTC date.
  package static func keyID(at time: WallTime) -> String {
    prefix + SinchCalendar.digits(of: time)
  }

  /// The digits behind the prefix, and the day they name; nil unless `keyID` is of that form, in ASCII digits.
  static func date(of keyID: String) -> (digits: String, day: Int64)? {
    let text = Array(keyID.utf8)
    guard text.starts(with: prefix.utf8) else { return nil }
    let digits = Array(text.dropFirst(prefix.utf8.count))
    guard let day = SinchCalendar.day(digits: digits) else { return nil }
    return (String(decoding: digits, as: UTF8.self), day)
  }
}
