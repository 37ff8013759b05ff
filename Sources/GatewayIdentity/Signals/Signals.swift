package import GatewayCore
internal import GatewayKit
package import GatewayRuntime
internal import GatewayTokens
internal import Synchronization

/// Signals from outside about logins, and the orders that follow from them.
///
/// An order covers only tokens that were issued before the signal's own time. A replayed, late or reordered signal therefore
/// never ends a session of a later login, whether or not it is remembered.
package final class Signals: Sendable {
  let gateway: Gateway
  let settings: SignalSettings
  let counts = SignalCounts()
  let seen = Mutex(SeenSignals())
  /// The secret of the transmitter, which can be replaced.
  let secret: Mutex<String?>
  /// 100 a second from an address, and 6,000 at once.
  private let quota = Mutex(AddressQuota(perMinute: 6_000, addressesMax: 1_000))
  /// Decides which signals are late; nil if no faults may be ordered.
  let objector: (any SignalObjector)?
  let copies = Mutex(SignalCopies())
  private let way = Mutex(Way())
  /// The time of the last logged refusal. Refusals are logged rarely, since anyone can cause one.
  private let toldAt = Mutex<Instant?>(nil)

  private struct Way {
    weak var door: (any SignalDoor)?
  }

  package init(_ settings: SignalSettings, to gateway: Gateway, objector: (any SignalObjector)? = nil) {
    self.settings = settings
    self.gateway = gateway
    self.objector = objector
    secret = Mutex(settings.transmitter?.secret)
  }

  /// The route of signals that the gateway hands to itself.
  package var door: (any SignalDoor)? {
    get { way.withLock { $0.door } }
    set { way.withLock { $0.door = newValue } }
  }

  /// Takes over the secret of `fresh`, which are its own settings, read again.
  package func takeSecret(of fresh: SignalSettings) {
    secret.withLock { $0 = fresh.transmitter?.secret }
  }

  /// The transmitter of security events; nil for none.
  package var transmitter: FetchedIssuer? { settings.transmitter?.issuer }

  package func write(to page: inout PrometheusText) { counts.write(to: &page) }

  // MARK: Orders

  /// Carries out a signal that an operator gives by hand, as if it had come from outside. Returns which sessions it reached.
  /// Only from a loop.
  ///
  /// - Parameters:
  ///   - kind: One of ``SignalKind/orders``.
  ///   - user: The user that it is about.
  ///   - sid: The session at the login, as its tokens have it; nil for all of the user's.
  ///   - issuer: The name of that login in the settings; nil for the only one.
  ///   - before: Tokens that were issued at this time or later stay good; nil for now.
  package func give(
    _ kind: SignalKind, user: UserID?, sid: String?, issuer: String?, before: WallTime?
  ) async throws(GatewayError) -> Reached {
    var subject = SignalSubject(user: user)
    var login: FetchedIssuer?
    if let sid {
      let named = try sessionsIssuer(issuer)
      subject.session = LoginSession(sid, at: named.settings.issuer)
      login = named
    }
    guard let target = target(subject, at: login, before: before ?? gateway.wallTime) else {
      throw .malformedRequest.detailed("name a user_id or a session_id")
    }
    let reached = try await carryOut(kind, target)
    counts.count(kind, .taken)
    gateway.journal(signal: kind.rawValue, of: user)
    return reached
  }

  /// Returns the login that an order about one of its sessions means.
  private func sessionsIssuer(_ name: String?) throws(GatewayError) -> FetchedIssuer {
    let logins = settings.login?.issuers.filter { !$0.settings.logoutAudiences.isEmpty } ?? []
    guard !logins.isEmpty else {
      throw .invalidParameter.detailed("no login says its sessions; start the gateway with --logout, or name a user")
    }
    if let found = logins.first(where: { Name($0.settings.name) == name.map { Name($0) } }) { return found }
    guard name == nil, logins.count == 1 else {
      let names = logins.map(\.settings.name).joined(separator: ", ")
      throw .invalidParameter.detailed("login_issuer must name the login of the session, one of \(names)")
    }
    return logins[0]
  }

  /// Returns the tokens that a signal covers; nil if it is about nobody.
  ///
  /// A login whose tokens do not say their session cannot have one ended: all of the user's end.
  func target(_ subject: SignalSubject, at login: FetchedIssuer?, before: WallTime) -> Revocations.Target? {
    if let session = subject.session, subject.user == nil || login?.saysSessions == true {
      return .session(session, issuedBefore: before)
    }
    return subject.user.map { .user($0, issuedBefore: before) }
  }

  /// Does what follows from a signal. Returns which sessions it reached, once the store has kept it.
  nonisolated(nonsending) func carryOut(
    _ kind: SignalKind, _ target: Revocations.Target
  ) async throws(GatewayError) -> Reached {
    switch kind {
    case .logout, .sessionRevoked: try await gateway.reach(revoking: target, isEnding: true)
    case .credentialChange: try await gateway.reach(revoking: target)
    case .tokenClaimsChange: try await gateway.reach(target, .ask)
    case .verification, .revocation, .other: Reached(sessions: 0)
    }
  }

  // MARK: Checks

  /// Throws if the address has sent too much.
  func checkRate(of request: HTTPRequest) throws(SignalRefusal) {
    let now = gateway.tables[0].transport.now
    guard let wait = quota.withLock({ $0.take(request.peer, at: now) }) else { return }
    var refusal = SignalRefusal.tooManyRequests
    refusal.retryAfter = wait
    throw refusal
  }

  /// Returns the claims of a statement of an issuer, after new keys where these may help.
  nonisolated(nonsending) func claims(
    of token: String, _ requirements: EventRequirements, by issuer: FetchedIssuer
  ) async throws(SignalRefusal) -> JWTClaims {
    let failure: TokenError
    do throws(TokenError) {
      return try issuer.verifier.verifyEvent(token, requirements, of: issuer.owner, at: gateway.wallTime)
    } catch {
      failure = error
    }
    switch issuer.advice(on: failure, of: token, mayWait: false) {
    case .stands: throw SignalRefusal(failure)
    case .refused(let error): throw Self.refusal(failure, error)
    case .wait(let wait):
      if let error = await wait() { throw Self.refusal(failure, error) }
    }
    do throws(TokenError) {
      return try issuer.verifier.verifyEvent(token, requirements, of: issuer.owner, at: gateway.wallTime)
    } catch {
      throw Self.refusal(error, issuer.error(for: error, of: token))
    }
  }

  private static func refusal(_ failure: TokenError, _ error: GatewayError) -> SignalRefusal {
    error.isUnjudged ? SignalRefusal(unavailable: error) : SignalRefusal(failure)
  }

  // MARK: The log

  /// Counts and logs an accepted signal.
  func noteTaken(
    _ kind: SignalKind, of sender: String, _ target: Revocations.Target?, about user: UserID? = nil, sessions: Int,
    isWidened: Bool = false, in request: HTTPRequest
  ) {
    counts.count(kind, .taken)
    var user = user
    if case .user(let named, _)? = target { user = named }
    gateway.journal(signal: kind.rawValue, of: user, isPlayed: SignalSender(of: request) == .fault)
    let about: [LogEvent.Field] =
      switch target {
      case .user(let user, _)?: [.init("user", user.rawValue)]
      case .session(let session, _)?: [.init("session", String(session.hash, radix: 16))]
      case .token(let fingerprint, _)?: [.init("token_fingerprint", fingerprint.description)]
      case .everybody?, nil: []
      }
    gateway.log(
      .info, "signal_taken",
      [.init("signal", kind.rawValue), .init("from", sender)] + about + [.init("sessions", String(sessions))]
        + (isWidened ? [.init("widened", "yes")] : []))
  }

  /// Counts a refused signal, and logs one a second.
  func noteRefused(_ kind: SignalKind, in request: HTTPRequest, _ refusal: SignalRefusal) {
    counts.count(kind, refusal.isUnavailable ? .unavailable : .refused)
    let isPlayed = SignalSender(of: request) == .fault
    gateway.journal(signal: kind.rawValue, failure: refusal.code.rawValue, isPlayed: isPlayed)
    let now = gateway.tables[0].transport.now
    let isTold = toldAt.withLock { told in
      if let last = told, now < last + .seconds(1) { return false }
      told = now
      return true
    }
    guard isTold else { return }
    gateway.log(
      .warning, "signal_refused",
      [
        .init("signal", kind.rawValue), .init("from", request.peer), .init("error", refusal.code.rawValue),
        .init("reason", refusal.description),
      ] + LogEvent.fields(of: refusal.mismatch))
  }
}
