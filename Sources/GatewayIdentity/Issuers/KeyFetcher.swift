internal import GatewayCore
package import GatewayRuntime
internal import GatewayTokens

/// The one fetcher of an issuer's keys. It asks by a timer, for which no client waits, and once for tokens with unknown keys.
///
/// `@unchecked Sendable`: touched only on its loop.
package final class KeyFetcher: WakeupTarget, @unchecked Sendable {
  /// No token causes a fetch for this long after one that a token caused or that failed: a failing server is not asked for
  /// every token.
  private static let coolDown = Duration.seconds(30)
  /// The pause after a good answer that does not say how long it may be used, and the bounds of one that does.
  private static let usualPause = Duration.seconds(600)
  private static let pauses = Duration.seconds(300)...Duration.seconds(86_400)
  /// The pauses after failures in a row: the first, and the longest.
  private static let retries = (first: Duration.seconds(1), last: Duration.seconds(30))
  /// How long the start waits for a fetch where kept keys are here.
  private static let patienceWithKeys = Duration.seconds(1)
  /// The keys of one set that the log names as left out.
  private static let leftOutMax = 8

  package let issuer: FetchedIssuer
  private let source: KeySource
  private let loop: EventLoop
  private let stage: LoopStage
  private let log: GatewayLog?
  private let keeper: (any KeyKeeper)?
  private let afterEveryLoop: AfterEveryLoop
  private lazy var wakeup = Wakeup(target: self)
  private var isFetching = false
  /// Whether another fetch follows the present one.
  private var fetchesAgain = false
  /// Whether a token causes the present fetch, or the one at the end of the cool-down.
  private var isForToken = false
  private var askedAt = Instant.zero
  /// When the next fetch is due without a token.
  private var dueAt = Instant.distantFuture
  private var hasEnded = false
  private var coolUntil = Instant.zero
  private var failures = 0
  private var failingSince: Instant?
  private var first: CheckedContinuation<OutboundFailure?, Never>?

  /// Calls `body` once every loop has run what it runs now.
  package typealias AfterEveryLoop = @Sendable (_ body: @escaping @Sendable () -> Void) -> Void

  /// Creates a fetcher. Nothing is asked before ``begin(patience:)``.
  ///
  /// - Parameters:
  ///   - issuer: The issuer.
  ///   - loop: The loop that it lives on.
  ///   - caller: The caller for its requests.
  ///   - keeper: Keeps the last good set; nil for none.
  ///   - log: The log; nil for none.
  ///   - afterEveryLoop: Calls a function once every loop has run what it runs now.
  package init(
    of issuer: FetchedIssuer, on loop: EventLoop, by caller: EndpointCaller,
    keeper: (any KeyKeeper)? = nil, log: GatewayLog?, afterEveryLoop: @escaping AfterEveryLoop
  ) {
    self.issuer = issuer
    self.loop = loop
    self.keeper = keeper
    self.log = log
    self.afterEveryLoop = afterEveryLoop
    stage = LoopStage(loop: loop)
    source = KeySource(issuer.settings, owner: issuer.owner, on: loop, by: caller)
  }

  /// Begins to fetch, for as long as the loop runs, and waits for the first good set, for at most `patience`; where the keys of
  /// an earlier life are here, for a second. Returns a failure that no later answer can change. Only from a task on the loop.
  package nonisolated(nonsending) func begin(patience: Duration) async -> OutboundFailure? {
    loop.preconditionOnLoop()
    issuer.fetch { [self] scope in loop.execute { self.fetchForToken(in: scope) } }
    let kept = await keeper?.kept(of: issuer.settings, at: loop.wallTime)
    let end = loop.now + (kept.map(takeKept) == true ? min(patience, Self.patienceWithKeys) : patience)
    return await withCheckedContinuation { continuation in
      first = continuation
      fetch()
      _ = stage.begin { [self] in
        await loop.sleep(until: end, as: "the first keys of an issuer")
        settleFirst(nil)
      }
    }
  }

  /// Ends the fetches, and drops the keys. Only on the loop.
  package func end() {
    loop.preconditionOnLoop()
    hasEnded = true
    issuer.fetch(by: nil)
    issuer.release()
    loop.deadlines.remove(wakeup)
    afterEveryLoop(issuer.take([]))
  }

  /// Takes the keys of an earlier life, unless they are too old. Returns whether it did.
  private func takeKept(_ kept: KeptKeys) -> Bool {
    let age = max(.zero, loop.wallTime - kept.readAt)
    guard age < KeptKeys.stale,
      let keys = try? FetchedKeys(jwks: kept.set, of: issuer.owner, algorithms: issuer.settings.algorithms)
    else { return false }
    source.remember(kept.set)
    // They were last good then, and are dropped a day later unless they are confirmed.
    let since = loop.transport.now - age
    failingSince = since
    afterEveryLoop(issuer.take(keys.keys))
    issuer.kept(since: since)
    log?.note(
      .info, "jwks_kept",
      ["issuer": issuer.settings.name, "keys": String(keys.keys.count), "age_s": String(Int(age.inSeconds))])
    return true
  }

  /// Keeps the present set, as of now.
  private func keep() {
    guard let keeper, let set = source.bytes else { return }
    let (kept, settings) = (KeptKeys(set: set, readAt: loop.wallTime), issuer.settings)
    _ = stage.begin { await keeper.keep(kept, of: settings, at: kept.readAt) }
  }

  private func settleFirst(_ failure: OutboundFailure?) {
    first?.resume(returning: failure)
    first = nil
  }

  package func wakeUp() { fetch() }

  /// Fetches now, the discovery document too, whatever was a moment ago. Only on the loop.
  package func fetchAgain() {
    source.discoverAgain()
    if isFetching { fetchesAgain = true } else { fetch() }
  }

  /// Fetches because a token has an unknown key: now, or at the end of the cool-down if a token waits for that.
  private func fetchForToken(in scope: TraceScope?) {
    guard !isFetching else { return }
    if loop.transport.now < coolUntil {
      guard issuer.releaseHasty() else { return }
      isForToken = true
      loop.deadlines.set(wakeup, at: min(dueAt, coolUntil))
    } else {
      isForToken = true
      fetch(in: scope)
    }
  }

  private func fetch(in scope: TraceScope? = nil) {
    guard !isFetching, !hasEnded, !loop.hasEnded else { return }
    isFetching = true
    askedAt = loop.transport.now
    loop.deadlines.remove(wakeup)
    _ = stage.begin { [self] in
      let outcome = await TraceScope.$current.withValue(scope) { await source.ask() }
      isFetching = false
      if hasEnded { settleFirst(nil) } else { settle(outcome) }
      guard fetchesAgain else { return }
      fetchesAgain = false
      fetchAgain()
    }
  }

  private func settle(_ outcome: Result<KeySource.Answer, OutboundFailure>) {
    let now = loop.transport.now
    switch outcome {
    case .success(let answer):
      (failures, failingSince) = (0, nil)
      let pause = min(max(answer.freshFor ?? Self.usualPause, Self.pauses.lowerBound), Self.pauses.upperBound)
      if let keys = answer.keys { take(keys.keys, leftOut: keys.leftOut) }
      keep()
      wake(at: loop.now + pause * (0.9 + 0.2 * loop.nextShare()))
      finish(isGood: true, at: now, coolFor: isForToken ? Self.coolDown : .zero)
      settleFirst(nil)
    case .failure(let failure):
      failures += 1
      let since = failingSince ?? now
      failingSince = since
      let doubled = Self.retries.first * (1 << min(failures - 1, 10))
      let pause = max(
        min(doubled, Self.retries.last) * (0.5 + 0.5 * loop.nextShare()), failure.retryAfter ?? .zero)
      if issuer.isReady, now - since >= KeptKeys.stale { drop() }
      note(failure, retryIn: pause)
      wake(at: loop.now + pause)
      finish(isGood: false, at: now, coolFor: max(Self.coolDown, failure.retryAfter ?? .zero))
      if failure.isLasting { settleFirst(failure) }
    }
  }

  private func finish(isGood: Bool, at now: Instant, coolFor: Duration) {
    coolUntil = now + coolFor
    isForToken = false
    issuer.fetched(isGood: isGood, askedAt: askedAt, at: now, coolUntil: coolUntil)
  }

  private func wake(at time: Instant) {
    dueAt = time
    loop.deadlines.set(wakeup, at: time)
  }

  private func take(_ keys: [VerificationKey], leftOut: [String]) {
    afterEveryLoop(issuer.take(keys))
    log?.note(.info, "jwks_read", ["issuer": issuer.settings.name, "keys": String(keys.count)])
    for reason in leftOut.prefix(Self.leftOutMax) {
      log?.note(.warning, "jwks_key_left_out", ["issuer": issuer.settings.name, "key": reason])
    }
    guard leftOut.count > Self.leftOutMax else { return }
    log?.note(
      .warning, "jwks_key_left_out",
      ["issuer": issuer.settings.name, "key": "\(leftOut.count - Self.leftOutMax) more of the set"])
  }

  /// Drops keys that could not be confirmed for too long.
  private func drop() {
    source.forget()
    afterEveryLoop(issuer.take([]))
    log?.note(.error, "jwks_dropped", ["issuer": issuer.settings.name])
  }

  private func note(_ failure: OutboundFailure, retryIn pause: Duration) {
    log?.note(
      .warning, "jwks_failed",
      [
        "issuer": issuer.settings.name, "error": failure.description, "failures": String(failures),
        "next_try_s": String(Int(pause.inSeconds.rounded(.up))),
      ])
  }
}
