internal import GatewayCore

/// The requirements for registration tokens beyond the documented form. It is not published whether the real service
/// enforces them; each setting describes what real signers do.
package struct SinchTokenPolicy: Hashable, Sendable {
  /// The clock tolerance. The JavaScript sample rounds `iat` to a second, at most half a second into the future.
  package var clockSkew: Duration
  /// The number of days by which `kid` may differ from the dates that `iat` allows. The documentation says UTC, which
  /// is 0; the Android sample uses the device's own date, which 1 allows everywhere on earth.
  package var kidDateToleranceDays: Int
  /// The longest `exp - iat`; nil for any. Most samples use 600 s, the JavaScript sample 600 000 s.
  package var tokenLifeMax: Duration?
  /// The rule for a used nonce. The JavaScript sample answers every request for credentials with one stored token,
  /// which ``SinchNonceReplay/sameDevice`` or ``SinchNonceReplay/allow`` accept.
  package var nonceReplay: SinchNonceReplay
  /// The shortest `exp - iat`: 60 s by the documentation; less is for tests.
  package var tokenLifeMin: Duration
  /// The shortest `sinch:rtc:instance:exp - iat`: 48 h by the documentation; less is for tests and storms.
  package var instanceLifeMin: Duration

  package init(
    clockSkew: Duration = .seconds(60), kidDateToleranceDays: Int = 0, tokenLifeMax: Duration? = nil,
    nonceReplay: SinchNonceReplay = .reject, tokenLifeMin: Duration = .seconds(60),
    instanceLifeMin: Duration = .seconds(172_800)
  ) {
    self.clockSkew = clockSkew
    self.kidDateToleranceDays = kidDateToleranceDays
    self.tokenLifeMax = tokenLifeMax
    self.nonceReplay = nonceReplay
    self.tokenLifeMin = tokenLifeMin
    self.instanceLifeMin = instanceLifeMin
  }
}
