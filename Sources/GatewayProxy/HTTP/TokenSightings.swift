internal import GatewayCore
internal import GatewayFaults
internal import GatewayKit
package import GatewayRuntime
package import GatewayWires

/// The calls of an application's token endpoint that pass through a proxy: their lines and their faults. Only on its loop.
///
/// `@unchecked Sendable`: used only on its loop.
package final class TokenSightings: @unchecked Sendable {
  let watch: TokenWatch
  /// The endpoint's server; nil for the proxy's target.
  let target: ProxyTarget?
  private let loop: EventLoop
  let seen: RememberedTokens
  /// The users of earlier callers, by the fingerprint of what they showed.
  private var callers: [TokenFingerprint: UserID] = [:]

  private static let callersMax = 10_000

  /// Creates the sightings of an endpoint.
  ///
  /// - Parameters:
  ///   - watch: The reader of requests and answers.
  ///   - target: The endpoint's server; nil for the proxy's target.
  ///   - loop: The proxy's loop.
  package init(_ watch: TokenWatch, at target: ProxyTarget? = nil, on loop: EventLoop) {
    (self.watch, self.target, self.loop) = (watch, target, loop)
    seen = RememberedTokens(on: loop)
  }

  /// Returns the answer to a request for a token: the endpoint's, unless a fault intervenes.
  nonisolated(nonsending) func answer(
    _ request: HTTPRequest, _ journal: Journal, _ faults: FaultBook, _ words: (GatewayError) -> HTTPResponse,
    usually: nonisolated(nonsending) (HTTPRequest) async -> HTTPResponse
  ) async -> HTTPResponse {
    let caller = watch.caller(of: request)
    let asking = caller.flatMap { callers[$0] } ?? watch.user(in: request)
    write(.asked, of: asking, journal)
    if let refusal = await faults.refusal(ofTokenFor: asking, from: Name(request.peer)) {
      write(.failed(refusal.error), of: asking, journal)
      return refusal.response(words)
    }
    var plain = request
    plain.headers.removeAll { $0.name == "accept-encoding" }
    plain.headers.append(HTTPField("accept-encoding", "identity"))
    var answer = await usually(plain)
    guard await WholeBody.read(&answer, atMost: TokenWatch.bodyMax), let sight = watch.sight(in: answer) else {
      write(Self.record(of: answer), of: asking, journal)
      return answer
    }
    let user = sight.user ?? asking
    if let caller, let user { note(user, for: caller) }
    if let other = faults.token(inPlaceOf: sight.token, of: user, seen) { watch.put(other, into: &answer) }
    if let life = faults.toldLife(of: user) { watch.tell(life, in: &answer, at: loop.wallTime) }
    if let user { seen.note(sight, of: user) }
    write(.minted, of: user, journal)
    return answer
  }

  private func write(_ record: ProviderRecord, of user: UserID?, _ journal: Journal) {
    let event = JournalEvent(record)
    if let user { journal.write(event, of: user) } else { journal.write(event) }
  }

  /// Returns what an answer without a token means.
  private static func record(of answer: HTTPResponse) -> ProviderRecord {
    switch answer.status {
    case 429: .limited(.tooMany)
    case 401: .refused(.credentialsMissing)
    case 403: .refused(.notPermitted)
    case 400..<500: .refused(.invalidParameter)
    default: .failed(.providerFailure)
    }
  }

  private func note(_ user: UserID, for caller: TokenFingerprint) {
    if callers.count >= Self.callersMax, callers[caller] == nil { callers.removeAll() }
    callers[caller] = user
  }
}
