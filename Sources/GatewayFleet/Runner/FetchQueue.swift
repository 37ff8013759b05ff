internal import GatewayCore
internal import GatewayRuntime

/// The queue of a loop's clients for the token provider, with a limit on concurrent requests and on requests per
/// second. The wait in the queue counts towards a token's latency.
///
/// `@unchecked Sendable`: touched only on its loop.
final class FetchQueue: WakeupTarget, @unchecked Sendable {
  private let loop: EventLoop
  private let placesMax: Int
  private var taken = 0
  private var pace: TokenBucket?
  private var waiting: [FetchTicket] = []
  private var head = 0
  private var wakeup: Wakeup!

  /// The share of a second's requests that may begin at once.
  private static let burst = 0.05

  /// Creates the queue with one loop's share of the plan's requests. Only on the loop.
  init(_ plan: StormPlan, on loop: EventLoop) {
    self.loop = loop
    placesMax = max(1, plan.fetches / plan.loops)
    pace = plan.fetchRate.map { rate in
      let share = rate / Double(plan.processes * plan.loops)
      return TokenBucket(rate: share, capacity: max(1, share * Self.burst), at: loop.now)
    }
    wakeup = Wakeup(target: self)
  }

  /// Starts the client's request, or queues it.
  func request(_ ticket: FetchTicket) {
    guard head == waiting.count, takePlace() else {
      waiting.append(ticket)
      return
    }
    ticket.client.fetch(ticket)
  }

  /// Ends a request and starts the next one that is still wanted.
  func release() {
    taken -= 1
    goOn()
  }

  func wakeUp() { goOn() }

  /// Drops all queued requests of a fleet.
  func dismiss(_ fleet: LoopFleet) {
    waiting = waiting[head...].filter { $0.client.fleet !== fleet }
    head = 0
    if waiting.isEmpty { loop.deadlines.remove(wakeup) }
  }

  private func goOn() {
    while head < waiting.count {
      let ticket = waiting[head]
      let isWanted = ticket.client.wants(ticket)
      guard !isWanted || takePlace() else { break }
      head += 1
      // The request starts later on the loop: requests that fail at once would pile up on the stack.
      if isWanted { loop.execute { ticket.client.fetch(ticket) } }
    }
    if head == waiting.count || head > 1024 && head * 2 > waiting.count {
      waiting.removeFirst(head)
      head = 0
    }
  }

  /// Reserves a place; returns false if all are taken or the rate allows none yet. In the latter case the queue sets
  /// its wake-up.
  private func takePlace() -> Bool {
    guard taken < placesMax else { return false }
    if let wait = pace?.takeOrWait(at: loop.now) {
      loop.deadlines.set(wakeup, at: loop.now + max(wait, .milliseconds(1)))
      return false
    }
    taken += 1
    return true
  }
}

/// A client's place in the queue for the provider.
struct FetchTicket: Sendable {
  let client: StormClient
  let number: UInt32
  let purpose: FetchPurpose
  let wantedAt: Instant
}
