internal import GatewayCore

/// The demands on registration tokens beyond the documented form: that `iat` is not in the future by more than clocks
/// differ, for instance. Whether the real service enforces any of it is not published; each setting says what real
/// signers do.
package struct SinchTokenPolicy: Hashable, Sendable {
  /// How far clocks may differ. The JavaScript sample rounds `iat` to a second, half a second into the future at most.
  package var clockSkew: Duration
  /// How many days `kid` may lie before or behind the dates that `iat` allows. The documentation says UTC, which is 0;
  /// the Android sample writes the device's own date, which 1 admits everywhere on earth.
  package var kidDateToleranceDays: Int
  /// The longest `exp - iat`; nil for any. Most samples have 600 s, the JavaScript sample 600 000 s.
  package var tokenLifeMax: Duration?
  /// What is done about a spent nonce. The JavaScript sample answers every request for credentials with one stored token:
  /// ``SinchNonceReplay/sameDevice`` or ``SinchNonceReplay/allow`` admit that.
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
