/// The budgets of a token provider, with what they have counted. The built-in provider and the simulated one ask it
/// before they let a request into their queue.
///
/// A value with bounded tables. Users and addresses are stored as 64-bit hashes, so that no name is kept. When a table
/// is full of keys whose windows have not ended, all further keys share one window.
package struct RequestBudgets: Sendable {
  /// The budgets, in the order in which they refuse.
  package let budgets: [RequestBudget]
  private var tables: [BudgetTable]

  /// The usual maximum number of users or addresses that one budget counts. An entry takes about 50 bytes.
  package static let usualKeysMax = 200_000

  /// Creates budgets that have counted nothing.
  ///
  /// - Parameters:
  ///   - budgets: The budgets, each of them possible.
  ///   - keysMax: The maximum number of users or addresses that one budget counts, at least 1.
  package init(_ budgets: [RequestBudget], keysMax: Int = Self.usualKeysMax) {
    precondition(keysMax > 0 && budgets.allSatisfy(\.isPossible), "a budget lets something pass")
    self.budgets = budgets
    tables = budgets.map { _ in BudgetTable(keysMax: keysMax) }
  }

  package var isEmpty: Bool { budgets.isEmpty }

  /// The number of users or addresses that it keeps figures of, over all budgets.
  package var keys: Int { tables.reduce(0) { $0 + $1.count } }

  /// Judges one request. Returns nil if it passes, otherwise the refusal.
  ///
  /// A request passes if no budget refuses it, and only then it counts. The first budget that refuses counts the refusal
  /// towards its ban.
  ///
  /// - Parameters:
  ///   - user: The user's hash; nil if nobody knows the user, so that no budget by user counts it.
  ///   - address: The address's hash; nil likewise.
  ///   - isRenewal: Whether it is a renewal; nil if that is unknown, so that it counts as either.
  ///   - now: The time.
  package mutating func judge(
    user: UInt64?, address: UInt64?, isRenewal: Bool? = nil, at now: Instant
  ) -> BudgetRefusal? {
    func key(_ budget: RequestBudget) -> UInt64? {
      guard budget.counts(isRenewal: isRenewal) else { return nil }
      return switch budget.scope {
      case .user: user
      case .address: address
      case .all: 0
      }
    }
    for (index, budget) in budgets.enumerated() {
      guard let ban = budget.ban, let key = key(budget), let left = tables[index].banLeft(key, at: now) else {
        continue
      }
      return BudgetRefusal(scope: budget.scope, isBan: true, status: ban.status, advice: budget.advice, left: left)
    }
    for (index, budget) in budgets.enumerated() {
      guard let key = key(budget), let left = tables[index].wait(key, budget, at: now) else { continue }
      if let ban = budget.ban { tables[index].refused(key, ban, at: now) }
      return BudgetRefusal(scope: budget.scope, isBan: false, status: budget.status, advice: budget.advice, left: left)
    }
    for (index, budget) in budgets.enumerated() {
      if let key = key(budget) { tables[index].take(key, budget, at: now) }
    }
    return nil
  }
}

/// The windows and bans of one budget, by user or address.
struct BudgetTable: Sendable {
  private let keysMax: Int
  private var windows: [UInt64: BudgetWindow] = [:]
  private var bans: [UInt64: BanWatch] = [:]
  /// The window of all keys for which there was no place.
  private var others: BudgetWindow?
  /// The times of the last searches for entries that are over. They run at most once a second, since each reads a whole
  /// table.
  private var sweptAt: Instant?
  private var bansSweptAt: Instant?

  init(keysMax: Int) {
    self.keysMax = keysMax
  }

  var count: Int { windows.count + bans.count }

  mutating func wait(_ key: UInt64, _ budget: RequestBudget, at now: Instant) -> Duration? {
    if let wait = windows[key]?.wait(budget, at: now) { return wait }
    guard windows[key] == nil, !hasPlace(budget, at: now) else { return nil }
    return others?.wait(budget, at: now)
  }

  mutating func take(_ key: UInt64, _ budget: RequestBudget, at now: Instant) {
    if windows[key] != nil || hasPlace(budget, at: now) {
      windows[key, default: BudgetWindow(at: now)].take(budget, at: now)
    } else {
      var shared = others ?? BudgetWindow(at: now)
      shared.take(budget, at: now)
      others = shared
    }
  }

  private mutating func hasPlace(_ budget: RequestBudget, at now: Instant) -> Bool {
    guard windows.count >= keysMax else { return true }
    if let sweptAt, now < sweptAt + .seconds(1) { return false }
    sweptAt = now
    windows = windows.filter { !$0.value.isOver(budget, at: now) }
    return windows.count < keysMax
  }

  func banLeft(_ key: UInt64, at now: Instant) -> Duration? { bans[key]?.banLeft(at: now) }

  /// Counts a refusal. If there is no place for another key, the refusal begins no ban.
  mutating func refused(_ key: UInt64, _ ban: RequestBudget.Ban, at now: Instant) {
    if bans[key] == nil, bans.count >= keysMax {
      if let bansSweptAt, now < bansSweptAt + .seconds(1) { return }
      bansSweptAt = now
      bans = bans.filter { !$0.value.isOver(at: now) }
      guard bans.count < keysMax else { return }
    }
    bans[key, default: BanWatch(ban, at: now)].refused(ban, at: now)
  }
}
