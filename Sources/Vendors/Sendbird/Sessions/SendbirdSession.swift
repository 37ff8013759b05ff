internal import GatewayCore

/// A session: one login of a user, over any number of sockets.
///
/// A refresh gives it a new key and a new end; earlier keys stay valid as the settings say.
struct SendbirdSession: Hashable, Codable, Sendable {
  let user: UserID
  let kind: UserKind
  /// Whether it was opened over HTTP; its keys are then valid over HTTP without a connection, whatever the settings.
  let isForHTTP: Bool
  /// The time of the login or of the last refresh.
  var begunAt: WallTime
  /// Whether the client can refresh.
  var isExpiring: Bool
  var token: SendbirdAcceptedToken
  /// The end of its keys; nil for never.
  var keyEnd: WallTime?
  /// The number of the present key, from 0.
  var generation: UInt32 = 0
  /// The end of the key before; nil for the end of the session.
  var previousKeyEnd: WallTime?

  /// The end of the session unless it is refreshed: of its key or its token, whichever is earlier. Nil for never.
  var end: WallTime? {
    switch (keyEnd, token.expiresAt) {
    case (let key?, let token?): min(key, token)
    case (let key, let token): key ?? token
    }
  }

  /// The token that the client must present at the end: the same one while it is valid, otherwise another one.
  private var renewal: RefreshCause {
    guard let tokenEnd = token.expiresAt else { return .sessionEnd }
    return keyEnd.map { $0 < tokenEnd } ?? false ? .sessionEnd : .expiry
  }

  /// The token that the client must present when an operator expires the session: a session token is invalid then, as
  /// at its own end. An access token has no end, so only the key ends.
  private var orderedRenewal: RefreshCause { token.form == .jwt ? .expiry : .sessionEnd }

  func hasEnded(at now: WallTime) -> Bool {
    end.map { $0 <= now } ?? false
  }

  /// Returns how long before its end the client is notified: the configured lead time, at most a tenth of the session's
  /// life.
  private func lead(_ settings: SendbirdSettings) -> Duration {
    end.map { min(settings.expiryLead, ($0 - begunAt) / 10) } ?? .zero
  }

  /// Returns whether the client was notified of the end, or should have been.
  func isDue(at now: WallTime, _ settings: SendbirdSettings) -> Bool {
    hasEnded(at: now + lead(settings))
  }

  /// The error for an expired key. A client that cannot refresh must not be told that its session expired: the third
  /// generation of the JavaScript SDK would reconnect with the same key for ever, without a pause.
  var refusal: GatewayError { isExpiring ? .sessionExpired : .sessionUnknown }

  /// Returns whether the session's key of that generation is valid at `now`.
  func accepts(_ generation: UInt32, at now: WallTime) -> Bool {
    if generation == self.generation { return true }
    guard generation < self.generation else { return false }
    guard let previousKeyEnd else { return true }
    return self.generation - generation == 1 && now < previousKeyEnd
  }

  /// Continues with `token` from `now`, under a new key.
  mutating func refresh(_ token: SendbirdAcceptedToken, at now: WallTime, _ settings: SendbirdSettings) {
    self.token = token
    begunAt = now
    keyEnd = Self.keyEnd(isExpiring: isExpiring, at: now, settings)
    generation &+= 1
    previousKeyEnd = settings.keyGrace.map { now + $0 }
  }

  static func keyEnd(isExpiring: Bool, at now: WallTime, _ settings: SendbirdSettings) -> WallTime? {
    isExpiring ? now + settings.sessionLife : settings.plainSessionLife.map { now + $0 }
  }

  /// Returns the session in the gateway's form, with that `welcome`.
  func verified(welcome: String?, _ settings: SendbirdSettings) -> VerifiedToken {
    var verified = VerifiedToken(
      user: user, kind: kind, fingerprint: token.fingerprint, issuedAt: token.issuedAt, expiresAt: end,
      renewal: renewal, form: token.form, welcome: welcome)
    verified.orderedRenewal = orderedRenewal
    verified.refreshLead = lead(settings)
    return verified
  }
}
