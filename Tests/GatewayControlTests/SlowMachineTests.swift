import GatewayControl
import GatewayCore
import GatewayRuntime
import Testing

@Suite("What a client is held to on a slow machine")
struct SlowMachineTests {
  private static func late(_ from: Int, _ to: Int, _ lost: Int) -> LateTimes {
    LateTimes([.init(from: .milliseconds(from), to: .milliseconds(to), lost: .milliseconds(lost))])
  }

  @Test("a client that did not get the processor has not been quiet")
  func lateQuiet() {
    let rule = GatewayControl.Expectation.stopsAfter(1, quiet: .seconds(1))
    let story = Story([.turnedAway(.anonymousRefused)])
    let early = story.verdict(rule, later: 1_300, late: Self.late(0, 1_300, 600))
    #expect(early.outcome == .undecided && early.sentence.contains("the machine was slow"))
    #expect(story.verdict(rule, later: 500, late: Self.late(0, 1_300, 600)).outcome == .passed)
  }

  @Test("a client that did not get the processor has more time to come back")
  func lateReturn() {
    let story = Story(.login + .returning(after: 10_500, as: 2))
    #expect(story.verdict(.comesBack()).outcome == .failed)
    #expect(story.verdict(.comesBack(), late: Self.late(100, 5_000, 1_000)).outcome == .passed)
    let away = Story(.login + [.closed(.connectionLost, by: .transport)])
    #expect(away.verdict(.comesBack(), later: 11_000, late: Self.late(100, 9_000, 2_000)).outcome == .undecided)
  }

  @Test("a wait that a slow machine may have made is no patience, and a short one is haste all the same")
  func lateWait() {
    let rule = GatewayControl.Expectation.waitsAtLeast(.milliseconds(500), after: .closed)
    let story = Story(.login + .returning(after: 550, as: 2))
    #expect(story.verdict(rule).outcome == .passed)
    #expect(story.verdict(rule, late: Self.late(60, 610, 200)).outcome == .undecided)
    #expect(story.verdict(rule, late: Self.late(60, 610, 40)).outcome == .passed)
    let hasty = Story(.login + .returning(after: 20, as: 2))
    #expect(hasty.verdict(rule, late: Self.late(0, 100, 100)).outcome == .failed)
  }

  @Test("waits that a slow machine makes differ are no chance")
  func lateJitter() {
    let story = Story(ExpectationTests.restarts([300, 420, 310, 390, 300, 400]))
    #expect(story.verdict(.backoffHasJitter()).outcome == .passed)
    #expect(story.verdict(.backoffHasJitter(), late: Self.late(0, 10_000, 120)).outcome == .undecided)
  }

  @Test("a token that a slow machine may have held up may be the second for one request")
  func lateSecondToken() {
    let story = Story(.login + .refresh() + [.presented(1_200)])
    #expect(story.verdict(.singleFlight).outcome == .passed)
    #expect(story.verdict(.singleFlight, late: Self.late(0, 10_000, 500)).outcome == .undecided)
  }
}
