import GatewayControl
import GatewayCore
import GatewayRuntime
import Testing

struct SlowMachineTests {
  private static func late(_ from: Int, _ to: Int, _ lost: Int) -> LateTimes {
    LateTimes([.init(from: .milliseconds(from), to: .milliseconds(to), lost: .milliseconds(lost))])
  }

  @Test
  func `a client without processor time does not count as quiet`() {
    let rule = GatewayControl.Expectation.stopsAfter(1, quiet: .seconds(1))
    let story = Story([.turnedAway(.anonymousRefused)])
    let early = story.verdict(rule, later: 1_300, late: Self.late(0, 1_300, 600))
    #expect(early.outcome == .undecided && early.sentence.contains("the machine was slow"))
    #expect(story.verdict(rule, later: 500, late: Self.late(0, 1_300, 600)).outcome == .passed)
  }

  @Test
  func `a client without processor time gets more time to come back`() {
    let story = Story(.login + .returning(after: 10_500, as: 2))
    #expect(story.verdict(.comesBack()).outcome == .failed)
    #expect(story.verdict(.comesBack(), late: Self.late(100, 5_000, 1_000)).outcome == .passed)
    let away = Story(.login + [.closed(.connectionLost, by: .transport)])
    #expect(away.verdict(.comesBack(), later: 11_000, late: Self.late(100, 9_000, 2_000)).outcome == .undecided)
  }

  @Test
  func `a wait that a slow machine may have caused is no patience, and a short wait is still haste`() {
    let rule = GatewayControl.Expectation.waitsAtLeast(.milliseconds(500), after: .closed)
    let story = Story(.login + .returning(after: 550, as: 2))
    #expect(story.verdict(rule).outcome == .passed)
    #expect(story.verdict(rule, late: Self.late(60, 610, 200)).outcome == .undecided)
    #expect(story.verdict(rule, late: Self.late(60, 610, 40)).outcome == .passed)
    let hasty = Story(.login + .returning(after: 20, as: 2))
    #expect(hasty.verdict(rule, late: Self.late(0, 100, 100)).outcome == .failed)
  }

  @Test
  func `different waits that a slow machine caused are no jitter`() {
    let story = Story(ExpectationTests.restarts([300, 420, 310, 390, 300, 400]))
    #expect(story.verdict(.backoffHasJitter()).outcome == .passed)
    #expect(story.verdict(.backoffHasJitter(), late: Self.late(0, 10_000, 120)).outcome == .undecided)
  }

  @Test
  func `a second token for one request is allowed if a slow machine may have delayed the first`() {
    let story = Story(.login + .refresh() + [.presented(1_200)])
    #expect(story.verdict(.singleFlight()).outcome == .passed)
    #expect(story.verdict(.singleFlight(), late: Self.late(0, 10_000, 500)).outcome == .undecided)
  }

  @Test
  func `concurrent calls that a slow machine has put one after the other do not prove single flight`() {
    let calls: [Story.Line] = [.requested()] + .call + [.asked(30), .minted(), .presented(), .refreshed()]
    let story = Story(.login + calls)
    #expect(story.verdict(.singleFlight()).outcome == .passed)
    #expect(story.verdict(.singleFlight(), late: Self.late(1_000, 1_100, 20)).outcome == .passed)
    let slow = story.verdict(.singleFlight(), late: Self.late(1_000, 1_100, 50))
    #expect(slow.outcome == .undecided && slow.sentence.contains("the machine was slow"), "\(slow)")
    // A token that was used before the next call shows that its answer had come.
    let renewed = Story(.login + .refresh() + .refresh("c"))
    #expect(renewed.verdict(.singleFlight(), late: Self.late(0, 10_000, 10_000)).outcome == .passed)
  }

  @Test
  func `a provider call that a client abandoned because a slow machine delayed it may be repeated`() {
    let story = Story(.login + [.requested(), .asked(), .asked(3_000), .minted(), .presented(), .refreshed()])
    #expect(story.verdict(.singleFlight()).outcome == .failed)
    #expect(story.verdict(.singleFlight(), late: Self.late(1_000, 4_100, 2_500)).outcome == .undecided)
    #expect(story.verdict(.singleFlight(), late: Self.late(1_000, 4_100, 500)).outcome == .failed)
  }

  @Test
  func `a client that had too little time for its answer has not broken its connection`() {
    let story = Story(.login + [.requested(), .cutOff(.refreshTimeout, 5_000), .closed(.refreshTimeout)])
    for rule in [GatewayControl.Expectation.keepsConnection, .refreshedInTime()] {
      #expect(story.verdict(rule).outcome == .failed)
      let late = story.verdict(rule, late: Self.late(1_000, 7_000, 2_000))
      #expect(late.outcome == .undecided && late.sentence.contains("the machine was slow"), "\(late)")
      // It had nine tenths of its time.
      #expect(story.verdict(rule, late: Self.late(1_000, 7_000, 500)).outcome == .failed)
    }
  }

  @Test
  func `a client that closes by itself fails on a quick machine and is undecided on a slow one`() {
    let story = Story(.login + [.requested(10_000), .closed(.connectionLost, 100, by: .transport)])
    #expect(story.verdict(.keepsConnection).outcome == .failed)
    #expect(story.verdict(.keepsConnection, late: Self.late(2_000, 9_000, 3_000)).outcome == .undecided)
    #expect(story.verdict(.keepsConnection, late: Self.late(2_000, 9_000, 1_000)).outcome == .failed)
  }

  @Test
  func `a refresh that a slow machine holds up is not too late`() {
    let rule = GatewayControl.Expectation.refreshedInTime(within: .seconds(1))
    let story = Story(.login + [.requested(), .presented(1_200), .refreshed()])
    #expect(story.verdict(rule).outcome == .failed)
    #expect(story.verdict(rule, late: Self.late(1_000, 2_300, 500)).outcome == .undecided)
    #expect(story.verdict(rule, late: Self.late(1_000, 2_300, 50)).outcome == .failed)
  }

  @Test
  func `an attempt that a slow machine delays may be repeated, and an immediate one may not`() {
    let rule = GatewayControl.Expectation.stopsAfter(1, quiet: .zero)
    let story = Story([.turnedAway(.anonymousRefused), .turnedAway(.anonymousRefused, 3_000)])
    #expect(story.verdict(rule).outcome == .failed)
    #expect(story.verdict(rule, late: Self.late(0, 3_010, 2_000)).outcome == .undecided)
    let hasty = Story([.turnedAway(.anonymousRefused), .turnedAway(.anonymousRefused, 500)])
    #expect(hasty.verdict(rule, late: Self.late(0, 510, 500)).outcome == .failed)
  }

  @Test
  func `a second token that is requested because a slow machine delayed the first is allowed`() {
    let calls: [Story.Line] = [.requested()] + .call + [.asked(3_000), .minted(), .presented(), .refreshed()]
    let rule = GatewayControl.Expectation.oneProviderCallPerExpiry(quiet: .zero)
    #expect(Story(.login + calls).verdict(rule).outcome == .failed)
    #expect(Story(.login + calls).verdict(rule, late: Self.late(1_000, 4_200, 2_500)).outcome == .undecided)
    #expect(Story(.login + .refreshTwice).verdict(rule, late: Self.late(0, 4_200, 2_500)).outcome == .failed)
  }

  @Test
  func `a close handshake that a slow gateway finishes late does not make the client too early`() {
    let rule = GatewayControl.Expectation.waitsAtLeast(.milliseconds(500), after: .closed)
    let story = Story(
      .login + [
        .cutOff(.serviceRestart), .closed(.serviceRestart, 400), .opened(300, on: 2), .loggedIn("b", 1, on: 2),
      ])
    #expect(story.verdict(rule).outcome == .failed)
    #expect(story.verdict(rule, late: Self.late(30, 440, 400)).outcome == .undecided)
  }

  @Test
  func `waits with jitter that a slow machine has lengthened do not count as waits without jitter`() {
    let story = Story(ExpectationTests.restarts([300, 900, 420, 1_250, 610, 1_020]))
    #expect(story.verdict(.backoffHasJitter()).outcome == .passed)
    let slow = story.verdict(.backoffHasJitter(), late: Self.late(0, 20_000, 20_000))
    #expect(slow.outcome == .undecided && slow.sentence.contains("the machine was slow"), "\(slow)")
  }
}

extension [Story.Line] {
  /// The lines of a client that requests a token once and gets two.
  fileprivate static let refreshTwice: [Story.Line] =
    [.requested()] + call + call + [.presented(), .refreshed()]
}
