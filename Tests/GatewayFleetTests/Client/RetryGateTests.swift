import GatewayCore
import Testing

@testable import GatewayFleet

/// Retry budgets and circuit breakers, call by call.
struct RetryGateTests {
  private static func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  @Test
  func `a retry budget lets its capacity through, then one retry for each ten tokens, and every first call`() {
    let rule = RetryRule(budget: .init(deposit: 0.1, capacity: 2))
    var gate = RetryGate()
    func ask(isRetry: Bool) -> RetryGate.Refusal? { gate.refusal(isRetry: isRetry, at: .zero, by: rule) }
    #expect(ask(isRetry: true) == nil && ask(isRetry: true) == nil)
    #expect(ask(isRetry: true) == .budget && ask(isRetry: false) == nil)
    for _ in 0..<9 { gate.note(isToken: true, at: .zero, by: rule) }
    #expect(ask(isRetry: true) == .budget)
    gate.note(isToken: true, at: .zero, by: rule)
    #expect(ask(isRetry: true) == nil && ask(isRetry: true) == .budget)
    // Tokens fill no more than the capacity.
    for _ in 0..<1000 { gate.note(isToken: true, at: .zero, by: rule) }
    #expect(gate == RetryGate())
  }

  @Test
  func `a breaker opens at five failures of ten calls, lets one probe through after its time, and closes with a token`()
  {
    let rule = RetryRule(breaker: .init(failures: 5, of: 10, open: .seconds(30), probes: 1))
    var gate = RetryGate()
    func ask(_ second: Int64) -> RetryGate.Refusal? { gate.refusal(isRetry: false, at: Self.at(second), by: rule) }
    func note(_ isToken: Bool, _ second: Int64) { gate.note(isToken: isToken, at: Self.at(second), by: rule) }
    // Four failures among ten are too few, however often.
    for _ in 0..<5 { for outcome in [false, false, true, true, true] { note(outcome, 0) } }
    #expect(ask(0) == nil)
    for _ in 0..<3 { note(false, 1) }
    #expect(ask(1) == .breaker && ask(30) == .breaker)
    // An answer to an earlier call decides nothing.
    note(true, 2)
    #expect(ask(3) == .breaker)
    #expect(ask(31) == nil && ask(31) == .breaker)
    note(false, 32)
    #expect(ask(61) == .breaker)
    #expect(ask(62) == nil)
    note(true, 62)
    #expect(ask(62) == nil && gate == RetryGate())
  }

  @Test
  func `a breaker's probe without an answer is followed by another, and two probes need two tokens`() {
    let rule = RetryRule(breaker: .init(failures: 1, of: 1, open: .seconds(10), probes: 2))
    var gate = RetryGate()
    gate.note(isToken: false, at: .zero, by: rule)
    func ask(_ second: Int64) -> RetryGate.Refusal? { gate.refusal(isRetry: true, at: Self.at(second), by: rule) }
    #expect(ask(10) == nil && ask(10) == nil && ask(19) == .breaker)
    #expect(ask(20) == nil && ask(21) == nil && ask(22) == .breaker)
    gate.note(isToken: true, at: Self.at(23), by: rule)
    #expect(ask(23) == .breaker)
    gate.note(isToken: true, at: Self.at(24), by: rule)
    #expect(ask(24) == nil)
  }

  @Test
  func `no number of a rule overflows`() {
    var rule = RetryRule(
      budget: .init(deposit: .infinity, capacity: .max),
      breaker: .init(failures: .min, of: .max, open: .zero, probes: .max))
    #expect(rule.fault != nil)
    var gate = RetryGate()
    for second in Int64(0)..<300 {
      _ = gate.refusal(isRetry: true, at: Self.at(second), by: rule)
      gate.note(isToken: second % 3 == 0, at: Self.at(second), by: rule)
    }
    rule.budget = .init(deposit: -.infinity, capacity: -1)
    rule.breaker = .init(failures: 2, of: -1, open: .seconds(1), probes: 0)
    gate.note(isToken: true, at: .zero, by: rule)
    #expect(gate.refusal(isRetry: true, at: .zero, by: rule) == .budget)
    let most = RetryRule(per: .fleet, budget: .init(capacity: 1_000_000))
    #expect(most.scaled(by: 1e12).budget?.capacity == 1_000_000)
    #expect(RetryRule(per: .fleet, budget: .init(capacity: 10)).scaled(by: 0.25).budget?.capacity == 3)
  }

  @Test
  func `a plan with an impossible rule for retries is refused`() {
    var plan = StormPlan()
    plan.retry = RetryRule()
    #expect(throws: StormPlanError.self) { try plan.check() }
    plan.retry = RetryRule(breaker: .init(failures: 11, of: 10))
    #expect(throws: StormPlanError.self) { try plan.check() }
    plan.retry = RetryRule(budget: .init(deposit: 0.1, capacity: 10), breaker: .init())
    #expect(throws: Never.self) { try plan.check() }
  }
}
