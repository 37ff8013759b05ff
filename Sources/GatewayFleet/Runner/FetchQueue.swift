internal import GatewayCore
internal import GatewayRuntime

/// The queue of a loop's clients to the token provider: so many requests at once, 64 for instance, and so many begun in
/// a second. Who waits for a place waits for the token, and is timed from the wish on.
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

  /// As much of a second's requests may begin at once.
  private static let burst = 0.05

  /// The share of a plan's requests that one of its loops has. Only on the loop.
  init(_ plan: StormPlan, on loop: EventLoop) {
    self.loop = loop
    placesMax = max(1, plan.fetches / plan.loops)
    pace = plan.fetchRate.map { rate in
      let share = rate / Double(plan.processes * plan.loops)
      return TokenBucket(rate: share, capacity: max(1, share * Self.burst), at: loop.now)
    }
    wakeup = Wakeup(target: self)
  }

  /// Starts the client's request, or lets it wait for its turn.
  func request(_ ticket: FetchTicket) {
    guard head == waiting.count, takePlace() else {
      waiting.append(ticket)
      return
    }
    ticket.client.fetch(ticket)
  }

  /// A request is over: the next that is still wanted takes its place.
  func release() {
    taken -= 1
    goOn()
  }

  func wakeUp() { goOn() }

  /// Forgets who waits.
  func dismiss() {
    waiting = []
    head = 0
    loop.deadlines.remove(wakeup)
  }

  private func goOn() {
    while head < waiting.count {
      let ticket = waiting[head]
      let isWanted = ticket.client.wants(ticket)
      guard !isWanted || takePlace() else { break }
      head += 1
      // Not from here: requests that fail at once would pile up on the stack.
      if isWanted { loop.execute { ticket.client.fetch(ticket) } }
    }
    if head == waiting.count || head > 1024 && head * 2 > waiting.count {
      waiting.removeFirst(head)
      head = 0
    }
  }

  /// False if all are taken, or it is too soon; in that case the queue wakes up when it is not any more.
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

/// A client's turn at the provider: that of the client who wants a token for its refresh since 12:00, for instance.
struct FetchTicket: Sendable {
  let client: StormClient
  let number: UInt32
  let purpose: FetchPurpose
  let wantedAt: Instant
}
