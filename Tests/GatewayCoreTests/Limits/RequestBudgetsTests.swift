import TestTraits
import Testing

@testable import GatewayCore

struct RequestBudgetsTests {
  private static let start = Instant(nanoseconds: 5_000_000_000)

  private static func budget(_ limit: Int, _ seconds: Int, _ set: (inout RequestBudget) -> Void = { _ in })
    -> RequestBudget
  {
    var budget = RequestBudget(.user, limit: limit, window: .seconds(seconds))
    set(&budget)
    return budget
  }

  @Test
  func `a fixed window begins with its first request, and a refusal says how much of it is left`() {
    var budgets = RequestBudgets([Self.budget(3, 60)])
    let waits = (0..<5).map { budgets.judge(user: 1, address: nil, at: Self.start + .seconds($0))?.left }
    #expect(waits == [nil, nil, nil, .seconds(57), .seconds(56)])
    #expect(budgets.judge(user: 2, address: nil, at: Self.start) == nil, "others are not held to it")
    #expect(budgets.judge(user: 1, address: nil, at: Self.start + .seconds(60)) == nil)
    // The next window begins with that request, not with the end of the one before.
    #expect(budgets.judge(user: 1, address: nil, at: Self.start + .seconds(130)) == nil)
    #expect(
      (0..<3).map { _ in budgets.judge(user: 1, address: nil, at: Self.start + .seconds(131)) == nil } == [
        true, true, false,
      ])
  }

  @Test
  func `a sliding window never lets more than its limit pass, and its waits are exact`() throws {
    var budgets = RequestBudgets([Self.budget(10, 10) { $0.kind = .sliding }])
    var passed: [Int64] = []
    var now = Self.start
    for _ in 0..<400 {
      if let refusal = budgets.judge(user: 1, address: nil, at: now) {
        var early = budgets
        #expect(early.judge(user: 1, address: nil, at: now + refusal.left - .nanoseconds(1)) != nil)
        now = now + refusal.left
        #expect(budgets.judge(user: 1, address: nil, at: now) == nil)
      }
      passed.append(now.nanoseconds)
      now = now + .milliseconds(70)
    }
    // In windows from one multiple of the length to the next there are never more; the estimate is of even traffic.
    for window in Dictionary(grouping: passed, by: { ($0 - Self.start.nanoseconds) / 10_000_000_000 }).values {
      #expect(window.count <= 10)
    }
  }

  @Test
  func `a ban begins after the configured number of refusals, refuses everything, and ends by itself`() {
    let ban = RequestBudget.Ban(after: 3, within: .seconds(20), length: .seconds(100))
    var budgets = RequestBudgets([Self.budget(1, 10) { $0.ban = ban }])
    func judge(_ second: Int) -> (Int, Bool)? {
      budgets.judge(user: 1, address: nil, at: Self.start + .seconds(second)).map { ($0.status, $0.isBan) }
    }
    let seen = [0, 1, 2, 3, 4, 50, 102, 103].map { judge($0).map { "\($0)" } ?? "passes" }
    #expect(
      seen == [
        "passes", "(429, false)", "(429, false)", "(429, false)", "(403, true)", "(403, true)", "(403, true)", "passes",
      ])
    // Refusals further apart than the time in which they count begin no ban.
    let far = stride(from: 200, to: 400, by: 11).flatMap { [$0, $0 + 1] }.compactMap { judge($0) }
    #expect(!far.isEmpty && far.allSatisfy { !$0.1 })
  }

  @Test
  func `a request that one budget refuses does not count in another`() {
    var all = RequestBudget(.all, limit: 5, window: .seconds(60))
    all.advice = .none
    var budgets = RequestBudgets([Self.budget(1, 60), all])
    let first = (0..<20).map { _ in budgets.judge(user: 1, address: nil, at: Self.start)?.scope }
    #expect(first == [nil] + Array(repeating: .user, count: 19))
    let others = (2..<10).map { budgets.judge(user: $0, address: nil, at: Self.start)?.scope }
    #expect(others == [nil, nil, nil, nil, .all, .all, .all, .all])
  }

  @Test
  func `a budget of logins does not count renewals, and one by address does not count clients without an address`() {
    var budgets = RequestBudgets([Self.budget(1, 60) { $0.purpose = .login }])
    #expect(
      [true, true, false, false, true].map {
        budgets.judge(user: 1, address: nil, isRenewal: $0, at: Self.start) == nil
      } == [
        true, true, true, false, true,
      ])
    #expect(budgets.judge(user: 1, address: nil, isRenewal: nil, at: Self.start) != nil, "unknown counts as either")
    var addresses = RequestBudgets([RequestBudget(.address, limit: 1, window: .seconds(1))])
    #expect((0..<5).allSatisfy { _ in addresses.judge(user: 1, address: nil, at: Self.start) == nil })
  }

  @Test(.long)
  func `two million addresses fill a bounded table, share one window beyond it, and make room again`() {
    var budget = RequestBudget(.address, limit: 2, window: .seconds(60))
    budget.ban = .init(after: 1, within: .seconds(60), length: .seconds(60))
    var budgets = RequestBudgets([budget], keysMax: 1000)
    var passed = 0
    for address in 0..<2_000_000 where budgets.judge(user: nil, address: UInt64(address), at: Self.start) == nil {
      passed += 1
    }
    #expect(passed == 1002)
    #expect(budgets.keys <= 2000)
    #expect(budgets.judge(user: nil, address: 5_000_000, at: Self.start + .seconds(120)) == nil)
    #expect(budgets.keys <= 2000)
  }

  @Test(arguments: [1, 3, 1_000_000_000])
  func `no number within the bounds overflows`(limit: Int) {
    for window in [RequestBudget.windows.lowerBound, RequestBudget.windows.upperBound] {
      for kind in RequestBudget.Kind.allCases {
        var budget = RequestBudget(.all, limit: limit, window: window)
        budget.kind = kind
        budget.ban = .init(after: limit, within: window, length: window)
        #expect(budget.isPossible)
        var budgets = RequestBudgets([budget])
        for now in [Int64.min, -1, 0, 1, window.nanoseconds - 1, window.nanoseconds, .max - 1, .max, 0] {
          for _ in 0..<4 { _ = budgets.judge(user: nil, address: nil, at: Instant(nanoseconds: now)) }
        }
      }
    }
  }

  @Test
  func `a budget keeps 16 bytes for each user, and as many for the user's refusals`() {
    #expect(MemoryLayout<BudgetWindow>.size == 16 && MemoryLayout<BanWatch>.size <= 16)
  }

  @Test
  func `a wait is told in whole seconds rounded up, and a spread reaches both of its ends`() throws {
    var budgets = RequestBudgets([Self.budget(1, 10) { $0.advice = .spread(5...8) }])
    _ = budgets.judge(user: 1, address: nil, at: Self.start)
    let judged = budgets.judge(user: 1, address: nil, at: Self.start + .milliseconds(8_900))
    let refusal = try #require(judged)
    #expect(refusal.left == .milliseconds(1_100) && refusal.leftSeconds == 2)
    let drawn = stride(from: 0.0, through: 1.0, by: 0.05).map { refusal.spread($0) }
    #expect(Set(drawn) == [5, 6, 7, 8])
  }
}
