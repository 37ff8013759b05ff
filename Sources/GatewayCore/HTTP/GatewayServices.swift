/// What a dialect's HTTP side may ask of the gateway it stands on.
package protocol GatewayServices: Sendable {
  /// The time of day.
  var wallTime: WallTime { get }

  /// Whether the user has an authenticated connection, on any loop.
  func isConnected(_ user: UserID) async -> Bool

  /// Tells every member of the call that is connected, on every loop.
  func publish(_ event: CallEvent) async

  /// Whether the token has been revoked.
  func isRevoked(_ token: VerifiedToken) async -> Bool

  /// Waits; the caller's loop serves others meanwhile.
  func sleep(for duration: Duration) async

  /// The next number in 0..<1 from the gateway's generator.
  func nextShare() async -> Double
}
