import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayReport
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import postern

struct SimulatePlanTests {
  private static func read(_ text: String) throws -> SimulateScenario {
    let file = try TemporaryFile(text)
    return try withExtendedLifetime(file) { try ScenarioFile(file.path, of: "FILE").world }
  }

  private static func herd(_ threshold: String) throws -> SimulateScenario {
    try read(
      """
      { clients: 8000, rate: 2000, life_s: 3600, client: { first_token: "in_hand" },
        provider: { rate: 80, queue: 640 }, thresholds: ["\(threshold)"] }
      """)
  }

  private static func answer(_ scenario: SimulateScenario, _ question: Question) async throws -> Planner.Answer {
    try await Planner(scenario.settings, threads: 2, scale: 2000) { scenario.keeps($0, ofShare: $1) }.answer(question)
  }

  @Test(.long)
  func `a threshold on a count is scaled in a smaller world, so that the answer is that of the share`() async throws {
    let share = try await Self.answer(Self.herd("lost.share <= 2%"), .capacity)
    let count = try await Self.answer(Self.herd("lost <= 160"), .capacity)
    #expect(try #require(share.value).value == (try #require(count.value)).value)
    #expect(share.isProven && count.isProven)
    #expect(try #require(count.proof).result.everybody.lostUnexpectedly <= 160)
  }

  @Test
  func `half of a number is asked of half a fleet, and a number without a half stays`() throws {
    var result = StormResult()
    result.connects.accepted = 100
    result.behaviours[.wellBehaved, default: .init()].lostUnexpectedly = 4
    #expect(try Threshold(parsing: "lost <= 8").holds(result, ofShare: 0.5))
    #expect(try !Threshold(parsing: "lost <= 7").holds(result, ofShare: 0.5))
    #expect(try Threshold(parsing: "lost > 6").holds(result, ofShare: 0.5))
    #expect(try !Threshold(parsing: "lost == 0").holds(result, ofShare: 0.5))
    #expect(try !Threshold(parsing: "recovered.after < 60s").holds(StormResult(), ofShare: 0.5))
    #expect(try Threshold(parsing: "lost == 0").isDivisible && Threshold(parsing: "lost < 7").isDivisible)
    #expect(try !Threshold(parsing: "lost == 7").isDivisible && Threshold(parsing: "lost.share == 7%").isDivisible)
  }

  @Test(.long)
  func `the thresholds of a phase are asked of each world too, and reported`() async throws {
    func scenario(_ threshold: String) throws -> SimulateScenario {
      try Self.read(
        """
        { clients: 500, rate: 500, hold_s: 20, provider: { rate: 100, queue: 500 }, thresholds: ["lost == 0"],
          phases: [{ name: "calm" }, { name: "asked", from: "hold", after_s: 5, for_s: 30, order: "refresh",
            thresholds: ["\(threshold)"] }] }
        """)
    }
    let good = try scenario("refresh.accepted >= 450")
    #expect(good.wishes == ["lost == 0", "asked: refresh.accepted >= 450"])
    #expect(try await Self.answer(good, .capacity).isProven)
    let none = try await Self.answer(try scenario("refresh.accepted == 0"), .capacity)
    #expect(none.value == nil && !none.isProven)
  }

  @Test(arguments: [Question.lead, .spread])
  func `a lead moves the wave, but no phase to before the storm`(question: Question) async throws {
    let scenario = try Self.read(
      """
      { clients: 200, rate: 200, hold_s: 5, life_s: 3600, thresholds: ["lost == 0"],
        phases: [{ name: "calm" }, { name: "asked", from: "wave", after_s: -1, for_s: 30 }] }
      """)
    #expect(question.range(scenario.settings).upperBound < 5)
    #expect(try #require(try await Self.answer(scenario, question).value).value == 0)
  }

  @Test
  func `a fleet recovers from a scenario's order in both worlds, though the planned wave never comes`() throws {
    let scenario = try Self.read(
      """
      { clients: 500, rate: 500, hold_s: 600,
        phases: [{ name: "asked", from: "hold", after_s: 3, order: "refresh" }] }
      """)
    var settings = scenario.settings
    let clients = try SimulatedClients(scheme: nil, sdk: nil)
    try clients.set(&settings, for: .machines)
    #expect(abs((settings.triggerEnd - .seconds(4)).inSeconds) < 0.1)
    var world = try MachineWorld(settings)
    let results = [world.run().result, try WireWorld(settings, clients).run()]
    for result in results {
      #expect(result.seconds < 60 && result.triggerEnd == settings.triggerEnd.inSeconds)
      #expect(try #require(result.recoveredAfter) <= 2)
    }
  }

  @Test
  func `an observer of a wire's world sees its progress, and can end it`() throws {
    let scenario = try Self.read("{ clients: 50, rate: 50, hold_s: 600 }")
    let seen = Seen()
    let result = try WireWorld(scenario.settings, try SimulatedClients(scheme: nil, sdk: nil)).run { progress, _ in
      seen.connected.withLock { $0 = max($0, progress.connected) }
      return progress.seconds < 10
    }
    #expect(result.wasInterrupted && result.seconds < 20)
    #expect(seen.connected.withLock { $0 } == 50)
  }

  private final class Seen: Sendable {
    let connected = Mutex(0)
  }
}
