import GatewayCore
import GatewayFleet
import GatewayPlanner
import Synchronization
import TestTraits
import Testing

@Suite(.long)
struct PlannerTests {
  private static func planner(
    _ judge: @escaping @Sendable (StormResult) -> Bool = { $0.everybody.lostUnexpectedly == 0 }
  ) -> Planner {
    var plan = StormPlan()
    plan.clients = 2000
    plan.rate = 500
    plan.hold = .seconds(10)
    var settings = WorldSettings(plan: plan, provider: ProviderModel(.rate(40), queue: 320))
    settings.isFirstTokenInHand = true
    return Planner(settings, threads: 2, scale: 1000) { result, _ in judge(result) }
  }

  @Test
  func `the least capacity is within a fiftieth between a value that holds and one that fails`() async throws {
    let answer = try await Self.planner().answer(.capacity)
    let value = try #require(answer.value)
    let margin = try #require(answer.margin)
    #expect(value.passes && !margin.passes)
    #expect(value.value > margin.value && value.value < margin.value * 1.021)
    // Serving everybody within a minute needs at least this.
    #expect(value.value > 2000 / 60.5)
    #expect(answer.proof?.result.everybody.clients == 2000, "proven at full size")
  }

  @Test
  func `an answer at the end of the range is tried at full size too`() async throws {
    let all = Self.planner { _ in true }
    let answer = try await all.answer(.timeout)
    #expect(answer.value?.value == 1 && answer.margin == nil && answer.exceptions.isEmpty)
    #expect(answer.proof?.result.everybody.clients == 2000 && answer.isProven)
    for question in [Question.jitter, .lead, .spread] {
      let none = try await all.answer(question)
      #expect(none.value?.value == 0 && none.margin == nil && none.proof?.passes == true, "\(question)")
    }
  }

  @Test
  func `if only the worst value keeps the thresholds, it is the answer, with the other end of the range`() async throws
  {
    // Nobody is served if the first token takes longer than the clients' timeout of 10 s: in worlds of a thousand, half
    // of the rate.
    let answer = try await Self.planner { $0.everybody.lostUnexpectedly >= 1000 }.answer(.capacity)
    let value = try #require(answer.value)
    #expect(value.passes && value.value == 2000.0 / 3600 / 10 && answer.margin == nil)
    let limit = try #require(answer.limit)
    #expect(limit.passes && (0.19...0.205).contains(limit.value))
    #expect(answer.exceptions.count == 8 && answer.exceptions.allSatisfy { !$0.passes && $0.value > limit.value })
  }

  @Test
  func `a judge gets the share of the fleet that was simulated, and an observer gets each try`() async throws {
    let shares = Mutex(Set<Double>())
    let values = Mutex([Double]())
    let planner = Planner(
      Self.planner().settings, threads: 2, scale: 1000,
      report: { progress in if progress.full == nil { values.withLock { $0.append(progress.value) } } },
      judge: { result, share in
        shares.withLock { _ = $0.insert(share) }
        return result.everybody.lostUnexpectedly == 0
      })
    let answer = try await planner.answer(.capacity)
    #expect(shares.withLock { $0 } == [0.5, 1], "half of them, and in the proof all")
    #expect(values.withLock { $0 }.contains(try #require(answer.margin).value))
  }

  @Test
  func `an answer says if more is not always better, and an edge is found all the same`() async throws {
    // Enough tokens, but at most 60 a second, e.g. because of their price.
    let answer = try await Self.planner {
      $0.everybody.lostUnexpectedly == 0 && ($0.timeUntil(share: 1) ?? .zero) > .seconds(33)
    }
    .answer(.capacity)
    let value = try #require(answer.value)
    #expect(value.passes && (33.0...60).contains(value.value))
    #expect(!answer.exceptions.isEmpty && answer.exceptions.allSatisfy { !$0.passes && $0.value > 60 })
    let limit = try #require(answer.limit).value
    // 2,000 in 33 s are 60.6; the steps of a latency are 3 %, and the edge's 2 %.
    #expect((58...65).contains(limit), "more than \(limit) is too much")
    let plain = try await Self.planner().answer(.capacity)
    #expect(plain.exceptions.isEmpty && plain.limit == nil)
  }

  @Test
  func `the answer is the longest outage that holds, or none if nothing holds`() async throws {
    let answer = try await Self.planner().answer(.outage)
    // The herd needs 50 s of the minute.
    let seconds = try #require(answer.value).value
    #expect((1..<12).contains(seconds))
    let none = try await Self.planner { _ in false }.answer(.jitter)
    #expect(none.value == nil && none.margin != nil && none.tried == 9)
  }

  @Test
  func `an answer is called unproven if there is no memory for a run of full size`() async throws {
    let small = Self.planner()
    let planner = Planner(small.settings, threads: 2, scale: 1000, bytesMax: 1 << 20) { result, _ in
      result.everybody.lostUnexpectedly == 0
    }
    let answer = try await planner.answer(.capacity)
    #expect(answer.value != nil && answer.proof == nil)
    #expect(answer.bytesMissed == MachineWorld.bytes(small.settings))
  }

  @Test
  func `cells of the grid recover below the cliff and not beyond it`() async throws {
    let grid = try #require(try await StabilityGrid(Self.planner()))
    let cells = grid.rows.flatMap { $0 }
    let short = cells.filter { $0.queueSeconds < $0.timeOut && $0.timeOut <= 10 }
    #expect(short.allSatisfy { $0.recovered != nil && ($0.lost ?? 1) < 0.01 })
    let beyond = cells.filter { $0.isBeyondCliff && $0.timeOut <= 8 }
    #expect(!beyond.isEmpty && beyond.allSatisfy { $0.recovered == nil && ($0.lost ?? 0) > 0.3 })
  }

  @Test
  func `a failing value shows a seed that fails, and an answer near the edge is called chance`() async throws {
    // One of three seeds fulfils it, whatever the value.
    let planner = Self.planner { $0.everybody.lostUnexpectedly == 0 }
    let seeded = Planner(planner.settings, threads: 2, scale: 1000) { result, _ in
      result.provider.calls % 2 == 0 && result.everybody.lostUnexpectedly == 0
    }
    var answer = Planner.Answer()
    for rate in stride(from: 34.0, to: 44, by: 0.5) {
      let trial = try await seeded.attempt(Question.capacity.settings(planner.settings, with: rate), rate, &answer)
      let holds = trial.result.provider.calls % 2 == 0 && trial.result.everybody.lostUnexpectedly == 0
      #expect(holds == trial.passes, "\(rate)")
      #expect(trial.passes == (trial.holding == trial.seeds) && trial.seeds == 3)
    }
    let plain = try await planner.answer(.capacity)
    let margin = try #require(plain.margin)
    #expect(margin.result.everybody.lostUnexpectedly > 0)
    let again = try #require(plain.again)
    #expect(again.seeds == 7 && plain.isChance == (again.holding < 7 || margin.holding > 0))
  }

  @Test
  func `a timeout below a minute is tried if the gateway's wire can have it`() async throws {
    let base = Self.planner().settings
    var settings = base
    settings.provider = ProviderModel(.rate(200), queue: 2000)
    let planner = Planner(settings, threads: 2, scale: 1000) { result, _ in result.everybody.lostUnexpectedly == 0 }
    let value = try #require(try await planner.answer(.timeout).value).value
    // 2,000 clients at 200 tokens a second are served within ten seconds.
    #expect((8.0...13).contains(value), "\(value)")
  }

  @Test
  func `if logins swamp the provider, the answer for clients that have a token is given too`() async throws {
    var settings = Self.planner().settings
    settings.isFirstTokenInHand = false
    settings.plan.rate = 2000
    settings.provider = ProviderModel(.rate(40), queue: 320)
    let planner = Planner(settings, threads: 2, scale: 1000) { result, _ in
      result.everybody.lostUnexpectedly == 0 && result.connects.failed.total == 0
    }
    let answer = try await planner.answer(.spread)
    #expect(answer.value == nil && answer.withTokens?.passes == true)
    let inHand = try await Self.planner { _ in false }.answer(.spread)
    #expect(inHand.value == nil && inHand.withTokens == nil)
  }

  @Test
  func `the first wait of a backoff can be asked for, and its cap is never below it`() async throws {
    let settings = Self.planner().settings
    #expect(Question(rawValue: "base_s") == .base && Question.base.unit == "s")
    let changed = Question.base.settings(settings, with: 120)
    #expect(changed.plan.backoff.base == .seconds(120) && changed.plan.backoff.cap == .seconds(120))
    #expect(throws: Never.self) { try changed.check() }
    let answer = try await Self.planner { $0.provider.refused.total < 1500 }.answer(.base)
    #expect(answer.runs > 0 && (answer.value == nil || answer.value?.passes == true))
  }

  @Test
  func `if no backoff keeps the thresholds, the answer fails`() async throws {
    let (none, unanswered) = try await Self.planner { _ in false }.backoffs()
    #expect(none.map(\.habit) == RetryHabit.all(for: Self.planner().settings.plan))
    #expect(none.allSatisfy { !$0.trial.passes && $0.trial.seeds == 3 })
    #expect(unanswered.value == nil && !unanswered.isProven)
    let (all, answer) = try await Self.planner { _ in true }.backoffs()
    #expect(answer.isProven && answer.proof?.result.everybody.clients == 2000)
    let least = try #require(all.map(\.trial.result.provider.calls).min())
    #expect(answer.value?.result.provider.calls == least)
    let smallOnly = try await Self.planner { $0.everybody.clients < 2000 }.backoffs().answer
    #expect(smallOnly.value != nil && !smallOnly.isProven)
  }
}
