/// The requests of one user or address that a budget has counted, in 16 bytes.
struct BudgetWindow: Hashable, Sendable {
  private var began: Instant
  private var count: UInt32 = 0
  /// The number of requests in the window before, if the kind is sliding.
  private var earlier: UInt32 = 0

  init(at now: Instant) {
    began = now
  }

  /// Returns the time until a request would pass; nil if it passes now.
  ///
  /// A sliding window estimates the requests of the last `window`: all requests of the current window, and a share of the
  /// previous window's, for the part that is less than a window ago.
  mutating func wait(_ budget: RequestBudget, at now: Instant) -> Duration? {
    let passed = roll(budget, at: now)
    let length = budget.window.nanoseconds
    let free = Int64(budget.limit) - 1 - Int64(count)
    guard budget.kind == .sliding, earlier > 0 || free < 0 else {
      return free >= 0 ? nil : .nanoseconds(max(1, length - passed))
    }
    guard free >= 0 else {
      // Nothing passes before the next window, in which the requests of this one count in part.
      return .nanoseconds(length - passed + length - Self.part(Int64(budget.limit) - 1, of: length, by: Int64(count)))
    }
    let open = length - Self.part(free, of: length, by: Int64(earlier))
    return passed >= open ? nil : .nanoseconds(open - passed)
  }

  /// Counts a request that has passed.
  mutating func take(_ budget: RequestBudget, at now: Instant) {
    _ = roll(budget, at: now)
    if count == 0 && earlier == 0 { began = now }
    if count < .max { count += 1 }
  }

  /// Returns whether nothing that it has counted matters any more.
  func isOver(_ budget: RequestBudget, at now: Instant) -> Bool {
    let passed = (now - began).nanoseconds
    let length = budget.window.nanoseconds
    return budget.kind == .fixed ? passed >= length : passed / 2 >= length
  }

  /// Begins the next window if the current one is over. Returns the time since the beginning of the current one.
  private mutating func roll(_ budget: RequestBudget, at now: Instant) -> Int64 {
    let length = budget.window.nanoseconds
    let passed = max(0, (now - began).nanoseconds)
    guard passed >= length else { return passed }
    if budget.kind == .fixed {
      self = BudgetWindow(at: now)
      return 0
    }
    let windows = passed / length
    earlier = windows == 1 ? count : 0
    count = 0
    began = began + .nanoseconds(windows * length)
    return passed - windows * length
  }

  /// Returns `length` × `number` / `all`, rounded down, at most `length`. The product has at most 82 bits.
  private static func part(_ number: Int64, of length: Int64, by all: Int64) -> Int64 {
    Int64(min(Int128(length), Int128(length) * Int128(number) / Int128(max(1, all))))
  }
}

/// The refusals of one user or address, and its ban, in 16 bytes.
struct BanWatch: Hashable, Sendable {
  /// The end of the time in which refusals count, or of the ban.
  private var until: Instant
  private var refusals: UInt32 = 0
  private var isBan = false

  init(_ ban: RequestBudget.Ban, at now: Instant) {
    until = now + ban.within
  }

  /// Returns the rest of the ban; nil if there is none.
  func banLeft(at now: Instant) -> Duration? { isBan && now < until ? until - now : nil }

  /// Counts a refusal, which may begin a ban for the requests after it.
  mutating func refused(_ ban: RequestBudget.Ban, at now: Instant) {
    if now >= until { self = BanWatch(ban, at: now) }
    refusals += 1
    guard refusals >= ban.after else { return }
    isBan = true
    until = now + ban.length
  }

  func isOver(at now: Instant) -> Bool { now >= until }
}
