import GatewayCore
import GatewayFleet
import GatewayPlanner
import Synchronization
import Testing

@Suite("Questions put to worlds")
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

  @Test("the least capacity lies between the value that holds and one that does not, within a fiftieth")
  func capacity() async throws {
    let answer = try await Self.planner().answer(.capacity)
    let value = try #require(answer.value)
    let margin = try #require(answer.margin)
    #expect(value.passes && !margin.passes)
    #expect(value.value > margin.value && value.value < margin.value * 1.021)
    // Whoever is to be served within a minute needs at least this.
    #expect(value.value > 2000 / 60.5)
    #expect(answer.proof?.result.everybody.clients == 2000, "proven at full size")
  }

  @Test("an answer at the end of the range is proven at full size too")
  func wholeRange() async throws {
    let all = Self.planner { _ in true }
    let answer = try await all.answer(.timeout)
    #expect(answer.value?.value == 60 && answer.margin == nil && answer.exceptions.isEmpty)
    #expect(answer.proof?.result.everybody.clients == 2000 && answer.isProven)
    for question in [Question.jitter, .lead, .spread] {
      let none = try await all.answer(question)
      #expect(none.value?.value == 0 && none.margin == nil && none.proof?.passes == true, "\(question)")
    }
  }

  @Test("where only what should be worst keeps the thresholds, it is the answer, with its other end")
  func worstAlone() async throws {
    // Nobody is kept where the first token takes longer than the 10 s that clients wait: in worlds of a thousand, half of the rate.
    let answer = try await Self.planner { $0.everybody.lostUnexpectedly >= 1000 }.answer(.capacity)
    let value = try #require(answer.value)
    #expect(value.passes && value.value == 2000.0 / 3600 / 10 && answer.margin == nil)
    let limit = try #require(answer.limit)
    #expect(limit.passes && (0.19...0.205).contains(limit.value))
    #expect(answer.exceptions.count == 8 && answer.exceptions.allSatisfy { !$0.passes && $0.value > limit.value })
  }

  @Test("a judge hears which share of the fleet was in the world, and whoever looks on what is tried")
  func shares() async throws {
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

  @Test("where more is not better all the way, that is said, and an edge is found all the same")
  func notMonotone() async throws {
    // Tokens enough, but no more than 60 a second: a bill, say.
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

  @Test("the longest outage is told, and none where nothing holds")
  func outage() async throws {
    let answer = try await Self.planner().answer(.outage)
    // The herd wants 50 s of the minute that it has.
    let seconds = try #require(answer.value).value
    #expect((1..<12).contains(seconds))
    let none = try await Self.planner { _ in false }.answer(.jitter)
    #expect(none.value == nil && none.margin != nil && none.tried == 9)
  }

  @Test("an answer whose run of full size there is no memory for is told unproven")
  func memory() async throws {
    let small = Self.planner()
    let planner = Planner(small.settings, threads: 2, scale: 1000, bytesMax: 1 << 20) { result, _ in
      result.everybody.lostUnexpectedly == 0
    }
    let answer = try await planner.answer(.capacity)
    #expect(answer.value != nil && answer.proof == nil)
    #expect(answer.bytesMissed == MachineWorld.bytes(small.settings))
  }

  @Test("the grid's cells recover short of the cliff, and do not beyond it")
  func grid() async throws {
    let grid = try #require(try await StabilityGrid(Self.planner()))
    let cells = grid.rows.flatMap { $0 }
    let short = cells.filter { $0.queueSeconds < $0.timeOut && $0.timeOut <= 10 }
    #expect(short.allSatisfy { $0.recovered != nil && ($0.lost ?? 1) < 0.01 })
    let beyond = cells.filter { $0.isBeyondCliff && $0.timeOut <= 8 }
    #expect(!beyond.isEmpty && beyond.allSatisfy { $0.recovered == nil && ($0.lost ?? 0) > 0.3 })
  }
}
