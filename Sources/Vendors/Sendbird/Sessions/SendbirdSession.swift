internal import GatewayCore

/// The session that a key stands for: one login of a user, ann's since noon for instance, over any number of sockets.
///
/// A refresh gives it another key and another end; the keys before stay good as the settings say.
struct SendbirdSession: Hashable, Codable, Sendable {
  let user: UserID
  let kind: UserKind
  /// Whether its keys are good for HTTP without a connection whatever the settings: it was opened over HTTP.
  let isForHTTP: Bool
  /// When it was opened or last refreshed.
  var begunAt: WallTime
  /// Whether the client can refresh.
  var isExpiring: Bool
  var token: SendbirdAcceptedToken
  /// When its keys end; nil for never.
  var keyEnd: WallTime?
  /// The number of the present key, from 0.
  var generation: UInt32 = 0
  /// How long the key before is good; nil for as long as the session.
  var previousKeyEnd: WallTime?

  /// When it ends unless it is refreshed: with its key or with its token, whichever is first. Nil for never.
  var end: WallTime? {
    switch (keyEnd, token.expiresAt) {
    case (let key?, let token?): min(key, token)
    case (let key, let token): key ?? token
    }
  }

  /// What is asked for at the end: the token again as long as it is good, another one otherwise.
  private var renewal: RefreshCause {
    guard let tokenEnd = token.expiresAt else { return .sessionEnd }
    return keyEnd.map { $0 < tokenEnd } ?? false ? .sessionEnd : .expiry
  }

  /// What is asked for where an operator lets the session expire: a session token is dead then, as at its own end. An access
  /// token has no end, so only the key is ended.
  private var orderedRenewal: RefreshCause { token.form == .jwt ? .expiry : .sessionEnd }

  func hasEnded(at now: WallTime) -> Bool {
    end.map { $0 <= now } ?? false
  }

  /// How long before its end its client is told: while there is time, but for no more than a tenth of its life.
  private func lead(_ settings: SendbirdSettings) -> Duration {
    end.map { min(settings.expiryLead, ($0 - begunAt) / 10) } ?? .zero
  }

  /// Whether its client has been told of its end, or was to be.
  func isDue(at now: WallTime, _ settings: SendbirdSettings) -> Bool {
    hasEnded(at: now + lead(settings))
  }

  /// What a client is told whose key is good no more. One that cannot refresh must not hear that its session expired:
  /// the third generation of the JavaScript SDK would come back with the same key for ever, without a pause.
  var refusal: GatewayError { isExpiring ? .sessionExpired : .sessionUnknown }

  /// Whether the key of that generation is one of the session's good ones at `now`.
  func accepts(_ generation: UInt32, at now: WallTime) -> Bool {
    if generation == self.generation { return true }
    guard generation < self.generation else { return false }
    guard let previousKeyEnd else { return true }
    return self.generation - generation == 1 && now < previousKeyEnd
  }

  /// Goes on with `token` from `now`, under a new key.
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

  /// The session as the gateway wants it, saying `welcome`.
  func verified(welcome: String?, _ settings: SendbirdSettings) -> VerifiedToken {
    var verified = VerifiedToken(
      user: user, kind: kind, fingerprint: token.fingerprint, issuedAt: token.issuedAt, expiresAt: end,
      renewal: renewal, form: token.form, welcome: welcome)
    verified.orderedRenewal = orderedRenewal
    verified.refreshLead = lead(settings)
    return verified
  }
}
