internal import GatewayCore

// Devices whose refresh tokens rotate.

extension Ledger {
  /// Counts a device that has got its first refresh token.
  package mutating func deviceBegan() { count(signOuts: \.devices) }

  /// Counts a refresh token that is shown again because no answer came.
  package mutating func refreshTokenShownAgain() { count(signOuts: \.shownAgain) }

  /// Counts a refused refresh token.
  ///
  /// - Parameters:
  ///   - refusal: Its meaning for the device.
  ///   - isShownAgain: Whether the token was shown before without an answer.
  package mutating func refreshTokenRefused(_ refusal: TokenJar.Refusal, isShownAgain: Bool) {
    if isShownAgain { count(signOuts: \.shownAgainRefused) }
    guard case .signedOut(let cause) = refusal else { return }
    result.signOuts = result.signOuts ?? SignOutTally()
    result.signOuts?.causes[cause, default: 0] += 1
  }

  private mutating func count(signOuts kind: WritableKeyPath<SignOutTally, Int>) {
    var tally = result.signOuts ?? SignOutTally()
    result.signOuts = nil
    tally[keyPath: kind] += 1
    result.signOuts = tally
  }
}
