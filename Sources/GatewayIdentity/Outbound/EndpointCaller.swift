internal import GatewayCore
package import GatewayRuntime
internal import Synchronization

/// The one way to ask the application's own servers, from every loop.
///
/// It has a name service off the loops, a bounded queue, timeouts, repetitions, and a breaker for each endpoint. A redirect is an
/// answer like any other, and is not followed.
package final class EndpointCaller: Sendable {
  private let slots = CallSlots()
  private let places = Mutex(Places())
  private let tallies = Mutex<[EndpointTally]>([])
  private let log: GatewayLog?
  let objector: (any OutboundObjector)?

  private struct Places {
    var dialers: [ObjectIdentifier: any Dialer] = [:]
    var traces: [ObjectIdentifier: LoopTraces] = [:]
    var names: NameBook?
  }

  /// The pauses before repetitions: the first at most, and the last.
  private static let pauses = (first: Duration.milliseconds(250), last: Duration.seconds(10))
  private static let retryAfterMax = Duration.seconds(600)

  /// Creates a caller that sends no request before ``begin(_:names:)``.
  ///
  /// - Parameter objector: Decides the fate of questions and webhooks; nil without faults.
  package init(log: GatewayLog?, objector: (any OutboundObjector)? = nil) {
    self.log = log
    self.objector = objector
  }

  /// Takes what it asks with. Before the first question.
  ///
  /// - Parameters:
  ///   - dialers: The dialer of each loop.
  ///   - names: The name service; nil if the dialers need none.
  ///   - traces: The traces of each loop; none without traces.
  package func begin(_ dialers: [(EventLoop, any Dialer)], names: NameBook?, traces: [LoopTraces] = []) {
    places.withLock {
      for one in traces { $0.traces[ObjectIdentifier(one.loop)] = one }
      for (loop, dialer) in dialers { $0.dialers[ObjectIdentifier(loop)] = dialer }
      $0.names = names
    }
  }

  /// Returns the tally of the endpoints of that name, whose figures are shown from now on.
  package func tally(_ name: String) -> EndpointTally {
    tallies.withLock { tallies in
      if let known = tallies.first(where: { Name($0.name) == Name(name) }) { return known }
      let new = EndpointTally(name)
      tallies.append(new)
      return new
    }
  }

  /// Reads the files that TLS with an endpoint needs, so that no later question waits for that. Only on the loop.
  package func prepare(_ endpoint: Endpoint, on loop: EventLoop) {
    places.withLock { $0.dialers[ObjectIdentifier(loop)] }?.prepare(endpoint.target([]))
  }

  /// Asks an endpoint. Returns what `read` makes of the answer, which throws if it is not what was asked for. Only from a task
  /// on a loop.
  ///
  /// - Parameters:
  ///   - question: The question as faults have it; nil if none affects it.
  ///   - due: The end of its time, if that comes before the endpoint's own timeout.
  ///   - read: Reads the answer, whatever its status.
  nonisolated(nonsending) func ask<Answer>(
    _ endpoint: Endpoint, _ request: HTTPRequest, about question: OutboundQuestion? = nil,
    due: Instant = .distantFuture,
    _ read: (HTTPResponse) throws(OutboundFailure) -> Answer
  ) async throws(OutboundFailure) -> Answer {
    guard let loop = EventLoop.current?.transport else { throw OutboundFailure("no loop", .notAsked) }
    let end = min(due, loop.now + endpoint.timeout)
    guard let name = endpoint.span, let traces = places.withLock({ $0.traces[ObjectIdentifier(loop)] }) else {
      return try await repeated(endpoint, request, about: question, on: loop, until: end, read)
    }
    let span = traces.ask(name, method: request.method, of: endpoint.address.host)
    var (request, status) = (request, nil as Int?)
    request.headers.removeAll { $0.name == "traceparent" || $0.name == "tracestate" }
    request.headers += span.context.fields
    do throws(OutboundFailure) {
      let answer = try await repeated(endpoint, request, about: question, on: loop, until: end) {
        (response) throws(OutboundFailure) in
        status = response.status
        return try read(response)
      }
      span.end(status: status, error: nil)
      return answer
    } catch {
      span.end(status: status, error: error.status.map(String.init) ?? error.result.rawValue)
      throw error
    }
  }

  private nonisolated(nonsending) func repeated<Answer>(
    _ endpoint: Endpoint, _ request: HTTPRequest, about question: OutboundQuestion?, on loop: EventLoop,
    until end: Instant, _ read: (HTTPResponse) throws(OutboundFailure) -> Answer
  ) async throws(OutboundFailure) -> Answer {
    var tries = 0
    while true {
      do throws(OutboundFailure) {
        return try await once(endpoint, request, about: question, on: loop, until: end, read)
      } catch {
        tries += 1
        guard error.mayPass, tries < endpoint.triesMax, !loop.hasEnded else { throw error }
        let pause = min(Self.pauses.first * (1 << min(tries - 1, 10)), Self.pauses.last) * loop.nextShare()
        guard loop.now + pause < end else { throw error }
        await loop.sleep(until: loop.now + pause, as: "another try at \(endpoint.tally.name)")
      }
    }
  }

  private nonisolated(nonsending) func once<Answer>(
    _ endpoint: Endpoint, _ request: HTTPRequest, about question: OutboundQuestion?, on loop: EventLoop,
    until end: Instant, _ read: (HTTPResponse) throws(OutboundFailure) -> Answer
  ) async throws(OutboundFailure) -> Answer {
    guard endpoint.lets(at: loop.now) else {
      throw notAsked(endpoint, "the breaker is open, or the server wants a pause")
    }
    switch await slots.enter(on: loop, until: end) {
    case .entered: break
    case .full: throw notAsked(endpoint, "\(CallSlots.waitingMax) requests wait")
    case .late: throw notAsked(endpoint, "no place among \(CallSlots.inFlightMax) requests in time")
    }
    defer { slots.leave() }
    guard endpoint.take(at: loop.now) else {
      throw notAsked(endpoint, "the breaker is open, or the server wants a pause")
    }
    let begun = loop.now
    do throws(OutboundFailure) {
      let response = try await answer(of: endpoint, request, about: question, on: loop, until: end)
      do throws(OutboundFailure) {
        let answer = try read(response)
        settle(endpoint, nil, as: response.status == 304 ? .unchanged : .read, since: begun, on: loop)
        return answer
      } catch {
        var failure = error
        if failure.result == .refused {
          failure.retryAfter = RetryAfter.read(response, at: loop.wallTime).map { min($0, Self.retryAfterMax) }
        }
        throw failure
      }
    } catch {
      settle(endpoint, error, as: error.result, since: begun, on: loop)
      throw error
    }
  }

  private func notAsked(_ endpoint: Endpoint, _ reason: String) -> OutboundFailure {
    endpoint.tally.count(.notAsked, after: .zero)
    return OutboundFailure(reason, .notAsked)
  }

  private func settle(
    _ endpoint: Endpoint, _ failure: OutboundFailure?, as result: OutboundFailure.Result, since begun: Instant,
    on loop: EventLoop
  ) {
    endpoint.tally.count(result, after: loop.now - begun)
    let name = endpoint.tally.name
    switch endpoint.settle(isGood: failure == nil, retryAfter: failure?.retryAfter, at: loop.now) {
    case .opened?:
      log?.note(.warning, "breaker_opened", ["endpoint": name, "error": failure?.description ?? ""])
    case .closed?: log?.note(.info, "breaker_closed", ["endpoint": name])
    case nil: break
    }
  }

  private nonisolated(nonsending) func answer(
    of endpoint: Endpoint, _ request: HTTPRequest, about question: OutboundQuestion?, on loop: EventLoop,
    until end: Instant
  ) async throws(OutboundFailure) -> HTTPResponse {
    if let objector, let question {
      switch await objector.fate(of: question, until: end) {
      case .asked: break
      case .altered(let alter):
        var whole = request
        // The whole answer is needed, whatever the gateway has of it.
        whole.headers.removeAll { $0.name == "if-none-match" }
        return alter(try await answer(of: endpoint, whole, on: loop, until: end))
      case .answered(let response): return response
      case .unanswered: throw OutboundFailure("no answer in time", .timedOut)
      }
    }
    return try await answer(of: endpoint, request, on: loop, until: end)
  }

  private nonisolated(nonsending) func answer(
    of endpoint: Endpoint, _ request: HTTPRequest, on loop: EventLoop, until end: Instant
  ) async throws(OutboundFailure) -> HTTPResponse {
    let (dialer, names) = places.withLock { ($0.dialers[ObjectIdentifier(loop)], $0.names) }
    guard let dialer else { throw OutboundFailure("no dialer on this loop", .notAsked) }
    var found: [String] = []
    if let names, IPAddress(endpoint.address.host) == nil {
      found = try await names.addresses(of: endpoint.address.host, on: loop, until: end).get()
    }
    if let objection = endpoint.objection(to: found) { throw objection }
    let left = end - loop.now
    guard left > .zero else { throw OutboundFailure("no answer in time", .timedOut) }
    switch await dialer.fetch(request, from: endpoint.target(found), timeout: left) {
    case .success(let response): return response
    case .failure(.timedOut): throw OutboundFailure("no answer in time", .timedOut)
    case .failure(let failure): throw OutboundFailure(String("\(failure)".prefix(512)), .unreachable)
    }
  }

  /// The name of each endpoint, and whether its breaker is open. Endpoints of one name count as one.
  package var breakers: [(name: String, isOpen: Bool)] {
    tallies.withLock { $0 }.map { ($0.name, $0.counts.breakersOpen > 0) }
  }

  /// Writes the figures of all endpoints, or of none, so that every series is there from the start.
  package func write(to page: inout PrometheusText) {
    let all = tallies.withLock { $0 }.map { (name: $0.name, counts: $0.counts) }
    page.counters(
      "postern_outbound_requests_total", "Requests to the application's own servers.", labels: ["endpoint", "result"],
      all.flatMap { one in
        OutboundFailure.Result.allCases.map {
          (values: [one.name, $0.rawValue], count: one.counts.results[$0, default: 0])
        }
      })
    page.histograms(
      "postern_outbound_seconds", "Request to the application's own servers, to its answer or failure.",
      label: "endpoint", all.map { (value: $0.name, histogram: $0.counts.seconds) })
    page.gauges(
      "postern_outbound_open", "Breakers that are open: the endpoint fails, and is asked once a second.",
      label: "endpoint", all.map { (value: $0.name, count: $0.counts.breakersOpen) })
    let counts = slots.counts
    page.gauge(
      "postern_outbound_in_flight", "Requests under way to the application's own servers.", Double(counts.inFlight))
    page.gauge("postern_outbound_queued", "Requests that wait for a place among those.", Double(counts.waiting))
  }
}
