internal import GatewayCore

/// The requirements for registration tokens beyond the documented form. It is not published whether the real service
/// enforces them; each setting describes what real signers do.
struct SinchTokenPolicy: Hashable, Sendable {
  /// The clock tolerance. The JavaScript sample rounds `iat` to a second, at most half a second into the future.
  var clockSkew: Duration = .seconds(60)
  /// The number of days by which `kid` may differ from the dates that `iat` allows. The documentation says UTC, which
  /// is 0; the Android sample uses the device's own date, which 1 allows everywhere on earth.
  var kidDateToleranceDays: Int = 0
  /// The longest `exp - iat`; nil for any. Most samples use 600 s, the JavaScript sample 600 000 s.
  var tokenLifeMax: Duration?
  /// The rule for a used nonce. The JavaScript sample answers every request for credentials with one stored token,
  /// which ``SinchNonceReplay/sameDevice`` or ``SinchNonceReplay/allow`` accept.
  var nonceReplay: SinchNonceReplay = .reject
  /// The shortest `exp - iat`: 60 s by the documentation; less is for tests.
  var tokenLifeMin: Duration = .seconds(60)
  /// The shortest `sinch:rtc:instance:exp - iat`: 48 h by the documentation; less is for tests and storms.
  var instanceLifeMin: Duration = .seconds(172_800)
}
