package import GatewayCore
package import GatewayKit
package import GatewayRuntime
package import GatewayTokens
internal import Synchronization

/// Judges opaque tokens by asking the server that issued them (RFC 7662).
///
/// There is one question a token at a time, and a bounded cache of the answers. The tokens themselves are in requests to that
/// server only.
package final class Introspector: TokenIntrospector {
  package let settings: IntrospectionSettings
  private let verifier: JWTVerifier
  private let client: Mutex<IntrospectionSettings.Client?>
  private let state = Mutex(State())
  private let parts = Mutex<Parts?>(nil)
  let counts = IntrospectionCounts()

  private struct State {
    var cache = VerdictCache()
    /// The callers that wait for the answer about a token.
    var flights: [TokenDigest: [CheckedContinuation<Verdict?, Never>]] = [:]
    var waiting = 0
  }

  private struct Parts {
    let caller: EndpointCaller
    let endpoint: Endpoint
    let log: GatewayLog?
    let recheck: SessionRecheck?
  }

  /// How long the answer that a token is not active is used, so that a client with such a token cannot make the gateway
  /// ask repeatedly.
  private static let refusalLife = Duration.seconds(5)
  private static let waitingMax = 10_000
  private static let answerBytesMax = 64 << 10

  /// Creates an introspector that sends no request before ``begin(by:log:recheck:)``.
  ///
  /// - Parameter verifier: Checks dates, issuer and audience.
  package init(_ settings: IntrospectionSettings, verifier: JWTVerifier) {
    self.settings = settings
    self.verifier = verifier
    client = Mutex(settings.client)
  }

  /// Takes over the secret of `fresh`, whose files were read again.
  package func takeSecret(of fresh: Introspector?) {
    guard let fresh else { return }
    client.withLock { $0 = fresh.settings.client }
  }

  /// Takes what it asks with. Before the first question.
  ///
  /// - Parameters:
  ///   - caller: Asks the server.
  ///   - log: The log; nil for none.
  ///   - sessions: The sessions whose tokens are asked about again.
  ///   - loop: The loop of that.
  package func begin(by caller: EndpointCaller, log: GatewayLog?, sessions: any RecheckedSessions, on loop: EventLoop) {
    let endpoint = Endpoint(
      settings.address, counted: caller.tally(IntrospectionSettings.name), answerBytesMax: Self.answerBytesMax,
      triesMax: 2, identity: settings.tls, keepsConnections: true, traced: "introspect")
    let recheck = settings.recheck.map { every in
      SessionRecheck(every: every, on: loop, sessions: sessions, counts: counts, log: log) { [unowned self] in
        await askAnew($0, $1)
      }
    }
    parts.withLock { $0 = Parts(caller: caller, endpoint: endpoint, log: log, recheck: recheck) }
  }

  /// Reads the files of TLS with its server. Only on the loop.
  package func prepare(on loop: EventLoop) {
    guard let parts = parts.withLock({ $0 }) else { return }
    parts.caller.prepare(parts.endpoint, on: loop)
  }

  // MARK: Tokens

  package func judge(_ token: String, at now: WallTime, read: @escaping TokenReader) -> Judgement {
    guard token.utf8.count <= settings.policy.sizeMax else {
      return .decided(.failure(TokenError.tooLarge(limit: settings.policy.sizeMax).gatewayError))
    }
    // Any other character is in no token (RFC 6749 appendix A.12).
    guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return .decided(.failure(.tokenMalformed))
    }
    let digest = TokenDigest(of: token)
    if let loop = EventLoop.current, let known = known(digest, at: loop.transport.now, now) {
      counts.count(source: .hit)
      watch(token, known, read)
      return .decided(known)
    }
    return .pending { [self] in
      let verdict = await verdict(of: token, digest, read)
      watch(token, verdict, read)
      return verdict
    }
  }

  private func known(_ digest: TokenDigest, at now: Instant, _ wallTime: WallTime) -> Verdict? {
    state.withLock { $0.cache.verdict(of: digest, at: now, wallTime) }
  }

  private func watch(_ token: String, _ verdict: Verdict, _ read: @escaping TokenReader) {
    guard settings.recheck != nil, case .success(let verified) = verdict else { return }
    parts.withLock { $0?.recheck }?.watch(token, verified, read)
  }

  /// Returns the verdict on a token, by the answer under way if there is one.
  private nonisolated(nonsending) func verdict(
    of token: String, _ digest: TokenDigest, _ read: TokenReader
  ) async -> Verdict {
    guard let loop = EventLoop.current else { return .failure(.identityUnavailable) }
    while true {
      if let known = known(digest, at: loop.transport.now, loop.wallTime) {
        counts.count(source: .hit)
        return known
      }
      let turn = state.withLock { state -> Turn in
        guard state.flights[digest] != nil else {
          state.flights[digest] = []
          return .first
        }
        return state.waiting < Self.waitingMax ? .later : .never
      }
      switch turn {
      case .never: return .failure(.identityUnavailable)
      case .first:
        counts.count(source: .miss)
        return await fly(token, digest, read)
      case .later:
        if let verdict = await landing(of: digest) {
          counts.count(source: .joined)
          return verdict
        }
      }
    }
  }

  private enum Turn { case first, later, never }

  /// Waits for the answer about a token; nil if it has just come.
  private nonisolated(nonsending) func landing(of digest: TokenDigest) async -> Verdict? {
    await withCheckedContinuation { continuation in
      let isWaiting = state.withLock { state in
        guard state.flights[digest] != nil else { return false }
        state.flights[digest]?.append(continuation)
        state.waiting += 1
        return true
      }
      if !isWaiting { continuation.resume(returning: nil) }
    }
  }

  /// Asks about a token, for all who wait.
  private nonisolated(nonsending) func fly(_ token: String, _ digest: TokenDigest, _ read: TokenReader) async -> Verdict
  {
    let verdict = await ask(about: token, read)
    let now = EventLoop.current?.transport.now
    let waiting = state.withLock { state in
      let waiting = state.flights.removeValue(forKey: digest) ?? []
      state.waiting -= waiting.count
      if let now { keep(verdict, of: digest, at: now, in: &state.cache) }
      return waiting
    }
    for one in waiting { one.resume(returning: verdict) }
    return verdict
  }

  private func keep(_ verdict: Verdict, of digest: TokenDigest, at now: Instant, in cache: inout VerdictCache) {
    switch verdict {
    case .success: cache.keep(verdict, of: digest, until: now + settings.cacheLife, at: now)
    case .failure(let error) where error.isUnjudged: break
    case .failure: cache.keep(verdict, of: digest, until: now + Self.refusalLife, at: now)
    }
  }

  /// Asks about a token whatever the cache has, unless that is under way.
  private nonisolated(nonsending) func askAnew(_ token: String, _ read: TokenReader) async -> Verdict {
    let digest = TokenDigest(of: token)
    let isFirst = state.withLock { state in
      guard state.flights[digest] == nil else { return false }
      state.flights[digest] = []
      return true
    }
    guard isFirst else { return await landing(of: digest) ?? .failure(.identityUnavailable) }
    return await fly(token, digest, read)
  }

  // MARK: Requests

  private nonisolated(nonsending) func ask(about token: String, _ read: TokenReader) async -> Verdict {
    guard let parts = parts.withLock({ $0 }), let loop = EventLoop.current else {
      return .failure(.identityUnavailable)
    }
    let answer: IntrospectionAnswer
    do throws(OutboundFailure) {
      answer = try await parts.caller.ask(
        parts.endpoint, request(about: token), about: OutboundQuestion(to: OutboundPlace(.introspection))
      ) { (response) throws(OutboundFailure) in try IntrospectionAnswer(response)
      }
    } catch {
      counts.count(answer: .unjudged)
      note(error, parts.log, at: loop.transport.now)
      return .failure(.identityUnavailable)
    }
    guard case .active(let members) = answer else {
      counts.count(answer: .inactive)
      return .failure(.tokenUnknown)
    }
    do throws(TokenError) {
      let claims = try verifier.introspected(members, settings.policy, at: loop.wallTime)
      var verified = try read(claims, settings.userMember)
      verified.form = .opaque
      counts.count(answer: .active)
      return .success(verified)
    } catch {
      counts.count(answer: .refused)
      return .failure(error.gatewayError)
    }
  }

  private func request(about token: String) -> HTTPRequest {
    var fields = [HTTPField("content-type", "application/x-www-form-urlencoded")]
    if let client = client.withLock({ $0 }) { fields.append(HTTPField("authorization", client.authorization)) }
    let body = "token=\(PercentEncoding.encode(token))&token_type_hint=access_token"
    return settings.address.request("POST", fields, body: Array(body.utf8))
  }

  /// Logs, once a minute, why no token can be verified.
  private func note(_ failure: OutboundFailure, _ log: GatewayLog?, at now: Instant) {
    guard let count = counts.failed(at: now) else { return }
    // The credentials are ours, so the operator has to correct this.
    let isOurs = failure.status == 401 || failure.status == 403
    log?.note(
      isOurs ? .error : .warning, isOurs ? "introspection_forbidden" : "introspection_failed",
      ["error": failure.description, "failures": String(count)])
  }

  /// Writes the figures of `introspector`, or of none, so that every series is there from the start.
  package static func write(_ introspector: Introspector?, to page: inout PrometheusText) {
    (introspector?.counts ?? IntrospectionCounts()).write(to: &page)
    page.gauge(
      "postern_introspection_cached", "Answers about opaque tokens that are kept for a while.",
      Double(introspector.map { one in one.state.withLock { $0.cache.count } } ?? 0))
  }
}
