package import GatewayCore
internal import GatewayJSON
internal import GatewayKit
package import GatewayRuntime
package import GatewayTokens
internal import Synchronization

/// An issuer whose keys are fetched: the verifier with its keys, and the state of the fetches that all loops share.
///
/// A token whose key is here is verified without any of this. Only a failed one is looked at twice.
package final class FetchedIssuer: Sendable {
  package let settings: IssuerSettings
  package let verifier: JWTVerifier
  let owner: KeyOwner

  /// The tokens that wait for one fetch.
  private static let waitingMax = 10_000
  /// How far the issuer's clock may differ from ours, and the fraction of a second that `iat` leaves out.
  private static let skew = Duration.seconds(5)
  private static let keyMayBeNew = GatewayError.identityUnavailable.worded(
    "the token may be of a key that has not been fetched yet; try again later")

  private let hasKeys = Atomic(false)
  private let lastWasGood = Atomic(false)
  /// Until when, in nanoseconds of the loops' clock, no token causes a fetch.
  private let coolUntil = Atomic<Int64>(.min)
  /// When the latest good answer was asked for, in nanoseconds of the loops' clock.
  private let askedAt = Atomic<Int64>(.min)
  private let unknownKeys = Atomic<UInt64>(0)
  /// Whether a token of the login has named its session, and whether one has not.
  private let sawSession = Atomic(false)
  private let sawNone = Atomic(false)
  private let waiting = Mutex(Waiting())
  private let fetching = Mutex<(@Sendable (TraceScope?) -> Void)?>(nil)
  private let counts = Mutex(Counts())

  /// The tokens that wait for a fetch.
  private struct Waiting {
    /// The tokens that are answered at once if no fetch may begin.
    var hasty: [CheckedContinuation<Void, Never>] = []
    /// The tokens that also wait for the end of the cool-down.
    var patient: [CheckedContinuation<Void, Never>] = []
  }

  /// The counts for metrics and the dashboard.
  struct Counts: Sendable {
    var keys = 0
    /// When the present set was last read or confirmed, or the gateway began.
    var freshAt: Instant?
  }

  /// Creates an issuer without keys.
  ///
  /// - Parameters:
  ///   - settings: Its settings.
  ///   - verifier: The verifier that gets its keys.
  ///   - prefixes: The prefixes of all issuers' users; nil if there are no others.
  package init(
    _ settings: IssuerSettings, for verifier: JWTVerifier, prefixes: Replaceable<UserPrefixes>? = nil
  ) {
    self.settings = settings
    owner = KeyOwner(settings.policy, users: settings.users, prefixes: prefixes)
    self.verifier = verifier
  }

  /// Whether a good set of keys has been read. Before that no user can log in by this issuer.
  package var isReady: Bool { hasKeys.load(ordering: .relaxed) }

  // MARK: Tokens

  /// Returns what follows from the failure of `token`, whose key may not be here yet. A token that was issued after the
  /// present keys were asked for may be of a newer key: within the cool-down it waits for the next keys if it `mayWait`, and
  /// otherwise cannot be judged. A token that names no key and that no present key signed counts as one of an unknown key.
  func advice(on failure: TokenError, of token: String, mayWait: Bool) -> KeyAdvice {
    guard let content = content(of: token, failing: failure) else { return .stands }
    unknownKeys.wrappingAdd(1, ordering: .relaxed)
    if let loop = EventLoop.current, isCool(on: loop) {
      guard lastWasGood.load(ordering: .relaxed) else { return .refused(.identityUnavailable) }
      guard isNewerThanKeys(content, on: loop) else { return .refused(Self.refusal(of: content, failing: failure)) }
      guard mayWait else { return .refused(Self.keyMayBeNew) }
    }
    return .wait { await self.nextFetch(for: content, of: token, mayWait: mayWait) }
  }

  /// Returns the session at the login that a token of it is of; nil if it says none, or no logout is taken.
  func session(_ claims: JWTClaims) -> LoginSession? {
    guard !settings.logoutAudiences.isEmpty else { return nil }
    guard let sid = claims["sid"]?.string else {
      if !sawNone.load(ordering: .relaxed) { sawNone.store(true, ordering: .relaxed) }
      return nil
    }
    if !sawSession.load(ordering: .relaxed) { sawSession.store(true, ordering: .relaxed) }
    return LoginSession(sid, at: settings.issuer)
  }

  /// Whether every token names its session, so that one session can be distinguished from the user's others.
  var saysSessions: Bool { sawSession.load(ordering: .relaxed) && !sawNone.load(ordering: .relaxed) }

  /// Returns the error for `token`, which failed although keys were fetched for it.
  func error(for failure: TokenError, of token: String) -> GatewayError {
    guard let content = content(of: token, failing: failure) else { return failure.gatewayError }
    return lastWasGood.load(ordering: .relaxed) ? Self.refusal(of: content, failing: failure) : .identityUnavailable
  }

  /// Returns the error for a token whose key is not among the newest keys. One that names no key keeps its own.
  private static func refusal(of content: UnverifiedToken, failing failure: TokenError) -> GatewayError {
    content.header["kid"] == nil ? failure.gatewayError : .keyUnknown
  }

  /// Returns whether no token causes a fetch now.
  private func isCool(on loop: EventLoop) -> Bool {
    loop.transport.now.nanoseconds < coolUntil.load(ordering: .relaxed)
  }

  /// Returns whether a token says that it was issued after the present keys were asked for, or does not say when. The
  /// claim is not verified: it decides only whether the token is refused now or after the next fetch.
  private func isNewerThanKeys(_ content: UnverifiedToken, on loop: EventLoop) -> Bool {
    let asked = askedAt.load(ordering: .relaxed)
    guard asked > .min, let claim = content.payload["iat"] else { return true }
    guard let issued = NumericDate.read(claim) else { return false }
    let now = loop.wallTime
    let age = max(.zero, loop.transport.now - Instant(nanoseconds: asked))
    return issued >= now - age - Self.skew && issued <= now + max(Self.skew, settings.policy.leeway)
  }

  /// Returns the content of a token that failed because a key of this issuer is missing; nil for another failure. The token's
  /// own issuer is not verified, and only chooses the issuer.
  private func content(of token: String, failing failure: TokenError) -> UnverifiedToken? {
    switch failure {
    case .keyUnknown, .algorithmNotForKey, .signature, .keyEnded: break
    default: return nil
    }
    guard let content = try? UnverifiedToken(token, sizeMax: settings.policy.sizeMax),
      let issuer = content.payload["iss"]?.string, Name(issuer) == settings.issuer,
      let name = content.header["alg"]?.string, let algorithm = JWTAlgorithm(name: name),
      settings.algorithms.contains(algorithm), !hasKeyNamed(in: content)
    else { return nil }
    return content
  }

  /// Returns whether a key of this issuer has the name that a token gives; false for a token that names none.
  private func hasKeyNamed(in content: UnverifiedToken) -> Bool {
    content.header["kid"].map { verifier.hasFetchedKey(named: $0, of: owner) } ?? false
  }

  /// Returns whether the key of a token that failed is here by now. For one that names none, every key is tried.
  private func isKeyHere(for content: UnverifiedToken, of token: String, on loop: EventLoop) -> Bool {
    content.header["kid"] == nil
      ? verifier.isOfFetchedKey(token, of: owner, at: loop.wallTime) : hasKeyNamed(in: content)
  }

  /// Waits for a fetch that began after the token came, or has brought its key. Returns an error if the token cannot be judged
  /// by the keys that are here then.
  private nonisolated(nonsending) func nextFetch(
    for content: UnverifiedToken, of token: String, mayWait: Bool
  ) async -> GatewayError? {
    guard let loop = EventLoop.current else { return .identityUnavailable }
    let came = loop.transport.now.nanoseconds
    // The first may have begun before. The second is refused at once if another loop's token was faster.
    for _ in 0..<3 {
      if let error = await landing(isPatient: mayWait) { return error }
      guard lastWasGood.load(ordering: .relaxed), came > askedAt.load(ordering: .relaxed),
        isNewerThanKeys(content, on: loop), !isKeyHere(for: content, of: token, on: loop)
      else { return nil }
      guard mayWait || !isCool(on: loop) else { break }
    }
    return Self.keyMayBeNew
  }

  /// Waits for the end of a fetch. Returns an error at once if too many wait.
  private nonisolated(nonsending) func landing(isPatient: Bool) async -> GatewayError? {
    let fetch = fetching.withLock { $0 }
    guard let fetch else { return .identityUnavailable }
    let list = isPatient ? \Waiting.patient : \Waiting.hasty
    var isFull = false
    await withCheckedContinuation { continuation in
      let isFirst = waiting.withLock { waiting -> Bool? in
        guard waiting.hasty.count + waiting.patient.count < Self.waitingMax else { return nil }
        waiting[keyPath: list].append(continuation)
        return waiting[keyPath: list].count == 1
      }
      switch isFirst {
      case true?: fetch(TraceScope.current)
      case false?: break
      case nil:
        isFull = true
        continuation.resume()
      }
    }
    return isFull ? .identityUnavailable : nil
  }

  // MARK: The fetcher's side

  /// Has `fetch` called, on any thread, when a token waits for a fetch, with the traced operation that the token belongs to; nil
  /// if nobody fetches any more.
  func fetch(by fetch: (@Sendable (TraceScope?) -> Void)?) { fetching.withLock { $0 = fetch } }

  /// Replaces all keys. Returns a function that frees the ones from before; see `JWTVerifier.takeFetched(_:of:)`.
  func take(_ keys: [VerificationKey]) -> @Sendable () -> Void {
    hasKeys.store(!keys.isEmpty, ordering: .relaxed)
    counts.withLock { $0.keys = keys.count }
    return verifier.takeFetched(keys, of: owner)
  }

  /// Notes that the present keys were last confirmed then, in an earlier life of the gateway.
  func kept(since time: Instant) { counts.withLock { $0.freshAt = time } }

  /// Notes the end of a fetch that began at `askedAt`. No token causes another until `coolUntil`.
  func fetched(isGood: Bool, askedAt: Instant, at now: Instant, coolUntil: Instant) {
    counts.withLock { counts in
      if isGood || counts.freshAt == nil { counts.freshAt = now }
    }
    if isGood { self.askedAt.store(askedAt.nanoseconds, ordering: .relaxed) }
    lastWasGood.store(isGood, ordering: .relaxed)
    self.coolUntil.store(coolUntil.nanoseconds, ordering: .relaxed)
    release()
  }

  /// Has every token that waits go on.
  func release() {
    releaseHasty()
    resume(\.patient)
  }

  /// Has the tokens go on that do not wait for the end of the cool-down. Returns whether others still wait.
  @discardableResult
  func releaseHasty() -> Bool {
    resume(\.hasty)
    return waiting.withLock { !$0.patient.isEmpty }
  }

  private func resume(_ list: WritableKeyPath<Waiting, [CheckedContinuation<Void, Never>]>) {
    let released = waiting.withLock { waiting in
      let all = waiting[keyPath: list]
      waiting[keyPath: list] = []
      return all
    }
    for continuation in released { continuation.resume() }
  }
}

extension FetchedIssuer {
  /// Returns the number of usable keys, and the time since they were last read or confirmed; nil before the first try.
  package func keys(at now: Instant) -> (count: Int, age: Duration?) {
    counts.withLock { counts in (counts.keys, counts.freshAt.map { now - $0 }) }
  }

  /// Writes the figures of issuers, or of none, so that every series is there from the start.
  package static func write(_ issuers: [FetchedIssuer], at now: Instant, to page: inout PrometheusText) {
    let all = issuers.map { (name: $0.settings.name, keys: $0.keys(at: now), issuer: $0) }
    page.gauges(
      "postern_jwks_age_seconds", "Time since an issuer's keys were last read or confirmed.", label: "issuer",
      all.map { (value: $0.name, count: UInt64(clamping: $0.keys.age?.components.seconds ?? 0)) })
    page.gauges(
      "postern_jwks_keys", "Usable keys of an issuer.", label: "issuer",
      all.map { (value: $0.name, count: UInt64(clamping: $0.keys.count)) })
    page.counters(
      "postern_jwks_unknown_kid_total", "Tokens of an issuer whose key the gateway did not have.", label: "issuer",
      all.map { (value: $0.name, count: $0.issuer.unknownKeys.load(ordering: .relaxed)) })
  }
}
