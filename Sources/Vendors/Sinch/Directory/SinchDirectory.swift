package import GatewayCore

/// What Sinch's service remembers: instances (a device acting for a user), the nonces of accepted tokens, the sequence
/// numbers of legacy signatures, wrong passwords.
///
/// Obligations of every implementation: each operation is atomic; an answer reflects every operation whose answer its
/// caller had already seen; what has ended is deleted, and a nonce is forgotten when its time is over; a full table
/// throws ``SinchRegistrationRefusal/full`` and loses nothing; a user with as many instances as one may have loses the
/// oldest for a new one.
package protocol SinchDirectory: Sendable {
  /// Checks a registration against what is remembered, in this order: its nonce or sequence, then whether it must be
  /// limited. If all is well, spends the nonce or sequence and extends the living instance that the registration names,
  /// or makes one in place of whatever the device had; if anything is not, nothing is changed.
  func register(
    _ registration: SinchRegistration, at now: WallTime
  ) async throws(SinchRegistrationRefusal) -> SinchInstance

  /// The instance, alive at `now`; else whether it is known to have ended.
  func instance(_ id: Name, at now: WallTime) async -> SinchInstanceState

  /// The user's living instances, oldest first, at most `limit`.
  func instances(of user: UserID, application: Name, at now: WallTime, limit: Int) async -> [SinchInstance]

  /// Deletes an instance; false if there is none.
  func deleteInstance(_ id: Name, at now: WallTime) async -> Bool

  /// Notes whether a password was right. False if the account is locked: then nobody learns it. The third wrong one in a row
  /// locks the account for `lock`.
  ///
  /// An account is a user name, whatever the application: whoever could choose one would guess anew with each. `isKnown`
  /// says whether there is such an account: no number of wrong names makes the directory forget a lock of one that there is.
  func tryPassword(isRight: Bool, of user: UserID, isKnown: Bool, at now: WallTime, lock: Duration) async -> Bool
}
