internal import GatewayCore
package import GatewayKit
package import GatewayRuntime
internal import Synchronization

/// Sends the webhooks of all vendors, from the first loop.
package final class WebhookSender: WebhookOutlet {
  private let settings: WebhookSettings
  private let caller: EndpointCaller
  private let gateway: Gateway
  private let stage: LoopStage
  private let state = Mutex(State())

  private struct State {
    var queue = WebhookQueue()
    var counts = WebhookCounts()
    var log = WebhookTroubles()
    /// The places that the addresses of the last webhooks lead to.
    var places: [Name: Place] = [:]
    var hasBegun = false
    var hasEnded = false
    /// Called with the next webhook about the same thing, by what a webhook in flight is about.
    var overtakers: [WebhookQueue.Lane.ID: @Sendable (Bool) -> Void] = [:]
    /// Called once nothing waits or is in flight.
    var idle: (@Sendable (Bool) -> Void)?
  }

  private enum Place {
    case allowed(EndpointAddress, Endpoint.Reach)
    case refused
  }

  private static let placesMax = 1_000
  /// The pauses before a webhook is sent again: the first, which doubles, and the longest.
  private static let pauses = (first: Duration.seconds(1), last: Duration.seconds(10))
  /// An answer's body is not read further.
  private static let answerBytesMax = 64 << 10

  /// Creates a sender that sends nothing before ``begin()``.
  package init(_ settings: WebhookSettings, of gateway: Gateway, by caller: EndpointCaller) {
    self.settings = settings
    self.gateway = gateway
    self.caller = caller
    stage = LoopStage(loop: gateway.tables[0].loop)
  }

  package func open(_ vendor: String) {
    state.withLock { $0.counts.open(vendor) }
    _ = caller.tally(Self.endpoint(of: vendor))
  }

  private static let endpoints = "webhook_"

  private static func endpoint(of vendor: String) -> String { "\(endpoints)\(vendor)" }

  /// Returns whether an endpoint of that name only receives webhooks, and is asked nothing.
  package static func isEndpoint(_ name: String) -> Bool { name.utf8.starts(with: endpoints.utf8) }

  /// Begins to send.
  package func begin() {
    state.withLock { $0.hasBegun = true }
    stage.start { self.send() }
  }

  package func post(_ webhook: Webhook) {
    let now = EventLoop.current?.transport.now ?? .zero
    let (hasWork, dropped) = state.withLock { state -> (Bool, UInt64?) in
      guard case .allowed(let endpoint, let reach) = place(of: webhook, in: &state) else {
        state.counts.count(.notAllowed, of: webhook.vendor)
        return (false, nil)
      }
      guard !state.hasEnded else {
        state.counts.count(.unsent, of: webhook.vendor)
        return (false, nil)
      }
      let item = WebhookQueue.Item(webhook, to: endpoint, reach: reach)
      let dropped = state.queue.add(item)
      if !state.overtakers.isEmpty { state.overtakers.removeValue(forKey: item.lane)?(true) }
      for item in dropped { state.counts.count(.dropped, of: item.webhook.vendor) }
      let told = dropped.isEmpty ? nil : state.log.tells(.dropped, webhook.vendor, UInt64(dropped.count), at: now)
      return (state.hasBegun && state.queue.mayBegin, told)
    }
    if let dropped {
      gateway.configuration.log?.note(
        .warning, "webhooks_dropped", ["vendor": webhook.vendor, "webhooks": String(dropped)])
    }
    if hasWork { stage.start { self.send() } }
  }

  /// Returns what the webhook's address is, and logs once for each host that nothing is sent to it.
  private func place(of webhook: Webhook, in state: inout State) -> Place {
    let name = Name(webhook.url)
    if let known = state.places[name] { return known }
    let place: Place
    do throws(EndpointFault) {
      let endpoint = try EndpointAddress(webhook.url)
      if let reach = settings.reach(of: endpoint) {
        place = .allowed(endpoint, reach)
      } else {
        place = .refused
        refuse(
          "\(endpoint.host):\(endpoint.port)", "not among the hosts of --webhooks-to", webhook.vendor, in: &state)
      }
    } catch {
      place = .refused
      refuse(WebAddress(webhook.url)?.host ?? "", error.description, webhook.vendor, in: &state)
    }
    if state.places.count >= Self.placesMax { state.places = [:] }
    state.places[name] = place
    return place
  }

  private func refuse(_ host: String, _ reason: String, _ vendor: String, in state: inout State) {
    guard state.log.tellsOfHost(host) else { return }
    gateway.configuration.log?.note(
      .warning, "webhook_not_allowed", ["vendor": vendor, "host": host, "error": reason])
  }

  // MARK: On the first loop

  /// Sends as many as may be in flight.
  private func send() {
    while let item = state.withLock({ $0.queue.next() }) {
      _ = stage.begin { await self.deliver(item) }
    }
  }

  private nonisolated(nonsending) func deliver(_ item: WebhookQueue.Item) async {
    await attempt(item, caller.objector?.harm(toWebhookOf: item.webhook.vendor))
    let idle = state.withLock { state -> (@Sendable (Bool) -> Void)? in
      state.queue.finish(item)
      guard state.queue.isIdle else { return nil }
      defer { state.idle = nil }
      return state.idle
    }
    idle?(true)
    send()
  }

  private nonisolated(nonsending) func attempt(_ item: WebhookQueue.Item, _ harm: WebhookHarm?) async {
    guard let loop = EventLoop.current?.transport else { return }
    switch harm {
    case .lost: count(.delivered, of: item.webhook)
    case .late(let duration):
      await loop.sleep(until: loop.now + duration, as: "a late webhook")
      await repeatedly(item, on: loop)
    case .behindNext(let patience):
      if let next = await overtaker(of: item, within: patience, on: loop) {
        await repeatedly(next, on: loop)
        state.withLock { $0.queue.finish(ahead: next) }
      }
      await repeatedly(item, on: loop)
    case .twice:
      guard let last = await repeatedly(item, on: loop) else { return }
      count(.repeated, of: item.webhook)
      _ = await once(item, last + 1, until: loop.now + item.webhook.rule.timeout, on: loop)
    case .unsigned, .signedByOther, nil: await repeatedly(item, harm, on: loop)
    }
  }

  /// Returns the next webhook about the same thing, if it comes within `patience`.
  private nonisolated(nonsending) func overtaker(
    of item: WebhookQueue.Item, within patience: Duration, on loop: EventLoop
  ) async -> WebhookQueue.Item? {
    _ = await TimedAnswer.of(on: loop, until: loop.now + patience, orElse: false) { answer in
      let next = self.state.withLock { state in
        guard !state.queue.hasNext(behind: item) else { return true }
        state.overtakers[item.lane] = answer
        return false
      }
      if next { answer(true) }
    }
    return state.withLock { state in
      state.overtakers[item.lane] = nil
      return state.queue.next(behind: item)
    }
  }

  /// Sends a webhook until it is delivered, or its vendor would give up. Returns the number of the attempt that delivered it;
  /// nil for none.
  @discardableResult
  private nonisolated(nonsending) func repeatedly(
    _ item: WebhookQueue.Item, _ harm: WebhookHarm? = nil, on loop: EventLoop
  ) async -> Int? {
    let (webhook, rule) = (item.webhook, item.webhook.rule)
    let end = rule.whole.map { loop.now + $0 } ?? .distantFuture
    var number = 1
    while true {
      let failure = await once(item, number, until: end, harm, on: loop)
      guard let failure else {
        count(.delivered, of: webhook)
        return number
      }
      let pause = min(Self.pauses.first * (1 << min(number - 1, 10)), Self.pauses.last) * (1 + loop.nextShare()) / 2
      guard mayRepeat(rule, failure, after: number), loop.now + pause < end, !loop.hasEnded,
        !state.withLock({ $0.hasEnded })
      else {
        count(.failed, of: webhook)
        note(failure, webhook, item.endpoint, attempts: number, at: loop.now)
        return nil
      }
      count(.repeated, of: webhook)
      await loop.sleep(until: loop.now + pause, as: "another attempt at a webhook")
      number += 1
    }
  }

  private func mayRepeat(_ rule: WebhookRule, _ failure: OutboundFailure, after attempts: Int) -> Bool {
    if let status = failure.status { return attempts < rule.attemptsMax && rule.repeats(after: status) }
    return attempts < (failure.result == .timedOut ? rule.attemptsMax : rule.networkAttemptsMax)
  }

  /// Sends a webhook once. Returns why it was not delivered; nil if it was.
  private nonisolated(nonsending) func once(
    _ item: WebhookQueue.Item, _ number: Int, until end: Instant, _ harm: WebhookHarm? = nil, on loop: EventLoop
  ) async -> OutboundFailure? {
    let webhook = item.webhook
    let name = Self.endpoint(of: webhook.vendor)
    // One of its own for each attempt: vendors have no breaker.
    let endpoint = Endpoint(
      item.endpoint, counted: caller.tally(name), reach: item.reach, timeout: webhook.rule.timeout,
      answerBytesMax: Self.answerBytesMax, traced: "webhook")
    let now = EventLoop.current?.wallTime ?? loop.wallTime
    let body = webhook.dated?(now) ?? webhook.body
    let fields = webhook.fields(number, now, body)
    let request = item.endpoint.request(
      webhook.method, harm.map { webhook.fields(fields, under: $0) } ?? fields, body: body)
    let begun = loop.now
    var (status, failure) = (nil as Int?, nil as OutboundFailure?)
    do throws(OutboundFailure) {
      status = try await caller.ask(endpoint, request, due: end) { (response) throws(OutboundFailure) in
        // A redirect is not followed: it could lead to a host that is not allowed.
        guard (200...299).contains(response.status) else { throw OutboundFailure(status: response.status) }
        return response.status
      }
    } catch {
      (status, failure) = (error.status, error)
    }
    // Only a gateway of one loop keeps a journal.
    if let journal = gateway.journal, journal.loop.isCurrent {
      journal.write(
        webhookTo: name, status: status, failure: failure?.result.rawValue, after: loop.now - begun)
    }
    return failure
  }

  private func count(_ result: WebhookCounts.Result, of webhook: Webhook) {
    state.withLock { $0.counts.count(result, of: webhook.vendor) }
  }

  private func note(
    _ failure: OutboundFailure, _ webhook: Webhook, _ endpoint: EndpointAddress, attempts: Int, at now: Instant
  ) {
    guard let count = state.withLock({ $0.log.tells(.failed, webhook.vendor, 1, at: now) }) else { return }
    gateway.configuration.log?.note(
      .warning, "webhook_failed",
      [
        "vendor": webhook.vendor, "host": "\(endpoint.host):\(endpoint.port)", "error": failure.description,
        "attempts": String(attempts), "webhooks": String(count),
      ])
  }

  // MARK: The end

  /// Waits until every webhook is delivered or given up, for at most `patience`. Later ones are not sent. Returns the number
  /// of webhooks that were not delivered in time.
  @discardableResult
  package func finish(within patience: Duration) async -> Int {
    guard !state.withLock({ $0.queue.isIdle }) else {
      state.withLock { $0.hasEnded = true }
      return 0
    }
    return await stage.perform {
      guard let loop = EventLoop.current?.transport else { return 0 }
      _ = await TimedAnswer.of(on: loop, until: loop.now + patience, orElse: false) { answer in
        let isIdle = self.state.withLock { state in
          guard !state.queue.isIdle else { return true }
          state.idle = answer
          return false
        }
        if isIdle { answer(true) }
      }
      let (left, vendors) = self.state.withLock { state in
        state.hasEnded = true
        return (state.queue.waiting + state.queue.inFlight, state.queue.vendors)
      }
      guard left > 0 else { return 0 }
      self.state.withLock { state in
        for (vendor, count) in vendors { state.counts.count(.unsent, of: vendor.text, UInt64(count)) }
      }
      self.gateway.configuration.log?.note(.warning, "webhooks_unsent", ["webhooks": String(left)])
      return left
    }
  }

  /// The vendors that may send webhooks.
  package var vendors: [String] { state.withLock { $0.counts.names } }

  /// Writes the figures of `sender`, or of none, so that every series is there from the start.
  package static func write(_ sender: WebhookSender?, to page: inout PrometheusText) {
    let (counts, waiting, inFlight) =
      sender?.state.withLock { ($0.counts, $0.queue.waiting, $0.queue.inFlight) } ?? (WebhookCounts(), 0, 0)
    counts.write(to: &page)
    page.gauge("postern_webhooks_queued", "Webhooks that wait to be sent.", Double(waiting))
    page.gauge("postern_webhooks_in_flight", "Webhooks that are being sent, or wait to be repeated.", Double(inFlight))
  }

  /// The count of a result, of all vendors.
  func counted(_ result: WebhookCounts.Result) -> UInt64 { state.withLock { $0.counts[result] } }

  /// Whether nothing waits or is in flight.
  var isIdle: Bool { state.withLock { $0.queue.isIdle } }
}
