internal import GatewayCore
package import GatewayKit
package import GatewayRuntime
internal import Synchronization

/// Sends the webhooks of all vendors, from the first loop.
package final class WebhookSender: WebhookOutlet {
  private let settings: WebhookSettings
  private let caller: EndpointCaller
  let gateway: Gateway
  let stage: LoopStage
  /// The rows of webhooks that wait; nil if the store does not outlive the process.
  let rows: WebhookRows?
  let state = Mutex(State())

  struct State {
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
    /// What makes a vendor's webhooks again from their rows.
    var restorers: [Name: WebhookRestorer] = [:]
  }

  enum Place {
    case allowed(EndpointAddress, Endpoint.Reach)
    case refused
  }

  private static let placesMax = 1_000
  /// The pauses before a webhook is sent again: the first, which doubles, and the longest.
  static let pauses = (first: Duration.seconds(1), last: Duration.seconds(10))
  /// An answer's body is not read further.
  private static let answerBytesMax = 64 << 10

  /// Creates a sender that sends nothing before ``begin()``.
  ///
  /// - Parameter store: Where webhooks wait, if it outlives the process.
  package init(_ settings: WebhookSettings, of gateway: Gateway, by caller: EndpointCaller, store: any Store) {
    self.settings = settings
    self.gateway = gateway
    self.caller = caller
    let loop = gateway.tables[0].loop
    stage = LoopStage(loop: loop)
    rows = store.outlivesProcess ? WebhookRows(store, of: gateway.configuration.life, at: loop.wallTime) : nil
  }

  package func open(_ vendor: String, restoring restore: @escaping WebhookRestorer) {
    state.withLock { state in
      state.counts.open(vendor)
      state.restorers[Name(vendor)] = restore
    }
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
    let madeAt = rows == nil ? WallTime(nanoseconds: 0) : gateway.wallTime
    let (hasWork, dropped) = state.withLock { state -> (Bool, UInt64?) in
      guard case .allowed(let endpoint, let reach) = place(of: webhook, in: &state) else {
        state.counts.count(.notAllowed, of: webhook.vendor)
        return (false, nil)
      }
      guard !state.hasEnded else {
        state.counts.count(.unsent, of: webhook.vendor)
        return (false, nil)
      }
      // In the lock, so that rows are in the order of the queue.
      let row = rows?.add(webhook, at: madeAt)
      let dropped = add(WebhookQueue.Item(webhook, to: endpoint, reach: reach, row: row, madeAt: madeAt), in: &state)
      let told = dropped == 0 ? nil : state.log.tells(.dropped, webhook.vendor, dropped, at: now)
      return (state.hasBegun && state.queue.mayBegin, told)
    }
    if let dropped { noteDropped(dropped, of: webhook.vendor) }
    if hasWork { stage.start { self.send() } }
    writeSoon()
  }

  /// Queues a webhook. Returns the number of those that were dropped for it.
  func add(_ item: WebhookQueue.Item, in state: inout State) -> UInt64 {
    let dropped = state.queue.add(item)
    if !state.overtakers.isEmpty { state.overtakers.removeValue(forKey: item.lane)?(true) }
    for item in dropped {
      state.counts.count(.dropped, of: item.webhook.vendor)
      if let row = item.row { rows?.remove(row) }
    }
    return UInt64(dropped.count)
  }

  func noteDropped(_ number: UInt64, of vendor: String) {
    gateway.configuration.log?.note(.warning, "webhooks_dropped", ["vendor": vendor, "webhooks": String(number)])
  }

  /// Returns what the webhook's address is, and logs once for each host that nothing is sent to it.
  func place(of webhook: Webhook, in state: inout State) -> Place {
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
  func send() {
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
    case .lost: settle(item, .delivered)
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
    var number = item.attempts + 1
    while true {
      let failure = await once(item, number, until: end, harm, on: loop)
      guard let failure else {
        settle(item, .delivered)
        return number
      }
      let pause = min(Self.pauses.first * (1 << min(number - 1, 10)), Self.pauses.last) * (1 + loop.nextShare()) / 2
      guard mayRepeat(rule, failure, after: number), loop.now + pause < end else {
        settle(item, .failed)
        note(failure, webhook, item.endpoint, attempts: number, at: loop.now)
        return nil
      }
      if let row = item.row { rows?.note(number, of: webhook, madeAt: item.madeAt, at: row) }
      writeSoon()
      // It is counted as kept or unsent.
      guard !loop.hasEnded, !state.withLock({ $0.hasEnded }) else { return nil }
      count(.repeated, of: webhook)
      await loop.sleep(until: loop.now + pause, as: "another attempt at a webhook")
      number += 1
    }
  }

  /// Counts a webhook that is delivered or given up, and has its row deleted.
  private func settle(_ item: WebhookQueue.Item, _ result: WebhookCounts.Result) {
    count(result, of: item.webhook)
    guard let row = item.row else { return }
    rows?.remove(row)
    writeSoon()
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

  // MARK: Figures

  /// The vendors that may send webhooks.
  package var vendors: [String] { state.withLock { $0.counts.names } }

  /// Writes the figures of `sender`, or of none, so that every series is there from the start.
  package static func write(_ sender: WebhookSender?, to page: inout PrometheusText) {
    let (counts, waiting, inFlight) =
      sender?.state.withLock { ($0.counts, $0.queue.waiting, $0.queue.inFlight) } ?? (WebhookCounts(), 0, 0)
    counts.write(to: &page)
    page.gauge("postern_webhooks_queued", "Webhooks that wait to be sent.", Double(waiting))
    page.gauge("postern_webhooks_in_flight", "Webhooks that are being sent, or wait to be repeated.", Double(inFlight))
    page.gauge(
      "postern_webhooks_stored", "Webhooks in the store, which would survive the process.",
      Double(sender?.rows?.count ?? 0))
  }

  /// The count of a result, of all vendors.
  func counted(_ result: WebhookCounts.Result) -> UInt64 { state.withLock { $0.counts[result] } }

  /// Whether nothing waits or is in flight.
  var isIdle: Bool { state.withLock { $0.queue.isIdle } }
}
