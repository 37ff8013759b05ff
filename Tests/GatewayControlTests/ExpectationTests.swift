import GatewayControl
import GatewayCore
import GatewayRuntime
import Testing

struct ExpectationTests {
  /// A story and its expected outcome.
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let lines: [Story.Line]
    let outcome: JournalVerdict.Outcome
    /// The numbers of the lines that prove it, if the case gives them.
    var proof: [UInt64]?

    init(
      _ name: String, _ lines: [Story.Line], _ outcome: JournalVerdict.Outcome, _ proof: [UInt64]? = nil
    ) {
      (testDescription, self.lines, self.outcome, self.proof) = (name, lines, outcome, proof)
    }

    func check(_ expectation: GatewayControl.Expectation, later: Int = 60_000) {
      let verdict = Story(lines).verdict(expectation, later: later)
      #expect(verdict.outcome == outcome, "\(verdict)")
      if let proof { #expect(verdict.lines == proof, "\(verdict)") }
      #expect(!verdict.sentence.isEmpty)
      if outcome == .passed || outcome == .failed { #expect(!verdict.lines.isEmpty, "nothing proves it") }
    }
  }

  @Test(arguments: [
    Case("one for each", .login + .refresh() + .refresh("c"), .passed, [5, 7, 9, 10, 12, 14]),
    Case(
      "two for one", .login + [.requested()] + .call + .call + [.presented(), .refreshed()], .failed, [5, 7, 9, 11]),
    Case("one before, one after the request", .login + .call + .refresh(), .failed),
    Case(
      "one before the request and none after", .login + .call + [.requested(), .presented(), .refreshed()], .failed,
      [6, 7, 9]),
    Case(
      "one by its own timer, just as it is asked",
      .login + .call + [.requested(50), .presented(), .refreshed()], .passed),
    Case("comes back once with one call", .login + .renewal("b", calls: 1, as: 2), .passed, [5, 8, 10]),
    Case(
      "comes back once with two calls in a row", .login + .renewal("b", calls: 2, as: 2), .failed, [5, 8, 10, 12]),
    Case(
      "comes back three times with one call each",
      .login + .renewal("b", calls: 1, as: 2) + .renewal("c", calls: 1, as: 3) + .renewal("d", calls: 1, as: 4),
      .passed),
    Case(
      "comes back three times, the last with three calls",
      .login + .renewal("b", calls: 1, as: 2) + .renewal("c", calls: 1, as: 3) + .renewal("d", calls: 3, as: 4),
      .failed),
    Case(
      "tries the old token once, and then asks once",
      .login + [.cutOff(.refreshTimeout), .closed(.refreshTimeout), .turnedAway(.tokenExpired)] + .call + [
        .opened(on: 2), .loggedIn("b", on: 2),
      ], .passed),
    Case(
      "is cut off with its new token in hand, and comes back with that",
      .login + [.requested()] + .call + [
        .cutOff(.refreshTimeout), .closed(.refreshTimeout), .opened(on: 2), .loggedIn("b", on: 2),
      ], .passed),
    Case(
      "is back before the close is over",
      .login + [.cutOff(.refreshTimeout)] + .call + [
        .opened(on: 2), .loggedIn("b", on: 2), .closed(.refreshTimeout),
      ], .passed),
    Case("is away for want of a token", .login + [.closed(.tokenRevoked)] + .call, .undecided),
    Case(
      "asks once more when it is back", .login + .renewal("b", calls: 1, as: 2) + .call, .failed),
    Case("another after the answer", .login + .refresh() + .call, .failed, [9, 11]),
    Case(
      "one for the next login",
      .login + .refresh() + [.closed(.goingAway)] + .call + [.opened(on: 2), .loggedIn("c", on: 2)],
      .passed),
    Case("two and no answer yet", .login + [.requested()] + .call + .call, .failed, [5, 7, 9]),
    Case("one and no answer yet", .login + [.requested()] + .call, .undecided, [5]),
    Case("a refresh without any", .login + .refresh() + [.requested(), .presented(), .refreshed("c")], .failed),
    Case(
      "one token for two connections",
      .login + [.opened(on: 2), .loggedIn(on: 2), .requested(), .requested(0, on: 2)] + .call
        + [.presented(), .refreshed(), .presented(on: 2), .refreshed(on: 2)], .passed),
    Case("a call that failed first", .login + [.requested(), .asked(), .failed()] + .call + [.refreshed()], .passed),
    Case("no refresh", .login, .undecided),
    Case("tokens from elsewhere", [.opened(), .loggedIn(), .requested(), .refreshed()], .notApplicable),
    Case("nothing", [], .undecided),
    Case("asked again, and no answer yet", .login + .refresh() + [.requested()], .undecided),
    Case(
      "one token for two connections, one of which is asked later",
      .login + [.opened(on: 2), .loggedIn(on: 2), .requested()] + .call
        + [.presented(), .refreshed(), .requested(on: 2), .presented(on: 2), .refreshed(on: 2)], .passed),
  ])
  func `one_provider_call_per_expiry passes one call for each expiry and fails a second one`(_ scene: Case) {
    scene.check(.oneProviderCallPerExpiry(quiet: .milliseconds(200)))
  }

  @Test
  func `one_provider_call_per_expiry does not pass a client whose calls are still in flight`() {
    let rule = GatewayControl.Expectation.oneProviderCallPerExpiry(quiet: .milliseconds(200))
    let story = Story(.login + .refresh())
    #expect(story.verdict(rule, later: 50).outcome == .undecided)
    [Story.Line].call.forEach(story.write)
    #expect(story.verdict(rule, later: 0).outcome == .failed)
    #expect(Story(.login + .refresh()).verdict(rule, later: 200).outcome == .passed)
  }

  @Test(arguments: [
    Case("stays away", .login + [.cutOff(.invalidToken), .closed(.invalidToken)], .passed, [5]),
    Case("comes again", .login + [.cutOff(.invalidToken), .closed(.invalidToken), .opened(on: 2)], .failed, [5, 7]),
    Case(
      "comes again and is turned away", .login + [.closed(.tooManyFailures), .turnedAway(.tokenExpired)], .failed,
      [5, 6]),
    Case(
      "is told by a fault to come back, and does", .login + [.closedOtherwise(.invalidToken, 1011), .opened(on: 2)],
      .undecided),
    Case(
      "is told by a fault to stay away, and comes again",
      .login + [.closedOtherwise(.serviceRestart, 4500), .opened(on: 2)], .failed, [5, 6]),
    Case("is turned away for good", [.turnedAway(.anonymousRefused)], .passed, [1]),
    Case("is turned away for good, and comes again", [.turnedAway(.anonymousRefused), .opened()], .failed, [1, 2]),
    Case(
      "may come again", .login + [.cutOff(.serviceRestart), .closed(.serviceRestart), .opened(on: 2)], .undecided),
    Case("leaves by itself", .login + [.closed(.peerClosed, by: .peer), .opened(on: 2)], .undecided),
    Case("nothing", [], .undecided),
    Case(
      "somebody comes among others", .login + [.bobComes, .closed(.invalidToken), .opened(on: 7)], .undecided, [7]),
  ])
  func `no_attempt_after_terminal fails a client that connects after a terminal close`(_ scene: Case) {
    scene.check(.noAttemptAfterTerminal())
  }

  @Test(arguments: [
    Case("two of two", [.turnedAway(.tokenExpired), .turnedAway(.tokenExpired)], .passed, [1, 2]),
    Case("three of two", [.turnedAway(.tokenExpired), .turnedAway(.tokenExpired), .opened()], .failed, [1, 2, 3]),
    Case("none", .call, .undecided),
    Case("one among others", .login + [.bobComes, .opened(on: 7)], .undecided),
  ])
  func `stops_after fails a client that continues after its allowed attempts`(_ scene: Case) {
    scene.check(.stopsAfter(2))
  }

  @Test
  func `stops_after counts provider calls and refreshes on request`() {
    Case("calls", .call + .call, .failed).check(.stopsAfter(1, .provider))
    Case("calls", .call, .passed).check(.stopsAfter(1, .provider))
    Case("refreshes", .login + .refresh() + .refresh("c"), .failed, [8, 13]).check(.stopsAfter(1, .refresh))
    Case("refreshes", .login + .refresh(), .passed, [8]).check(.stopsAfter(1, .refresh))
  }

  @Test
  func `quiet periods that have only just begun count for nothing`() {
    let refused: [Story.Line] = [.turnedAway(.anonymousRefused)]
    Case("too soon", refused, .undecided).check(.noAttemptAfterTerminal(), later: 999)
    Case("in time", refused, .passed).check(.noAttemptAfterTerminal(), later: 1_000)
    Case("too soon", refused, .undecided).check(.stopsAfter(1, quiet: .seconds(3)), later: 2_999)
    Case("in time", refused, .passed).check(.stopsAfter(1, quiet: .seconds(3)), later: 3_000)
  }

  @Test(arguments: [
    Case("long enough", .login + .returning(after: 500, as: 2), .passed, [6, 7]),
    Case("too short", .login + .returning(after: 499, as: 2), .failed, [6, 7]),
    Case(
      "once too short", .login + .returning(after: 900, as: 2) + .returning(after: 20, as: 3), .failed, [10, 11]),
    Case(
      "back before the close is over",
      .login + [.cutOff(.serviceRestart), .opened(5, on: 2), .closed(.serviceRestart, 900), .loggedIn(on: 2)],
      .failed, [5, 6]),
    Case("not back yet", .login + [.closed(.goingAway)], .undecided),
    Case("nothing", .login, .undecided),
  ])
  func `waits_at_least fails a client that tries again too soon`(_ scene: Case) {
    scene.check(.waitsAtLeast(.milliseconds(500), after: .closed))
  }

  @Test
  func `waits_at_least looks at the attempts after the right line`() {
    let calls: [Story.Line] = [.asked(), .failed(), .asked(300), .minted()]
    Case("a call", calls, .failed, [2, 3]).check(.waitsAtLeast(.milliseconds(301), after: .providerFailed))
    Case("a call", calls, .passed, [2, 3]).check(.waitsAtLeast(.milliseconds(300), after: .providerFailed))
    let turned: [Story.Line] = [.turnedAway(.overloaded), .asked(100), .turnedAway(.overloaded, 400)]
    Case("a connection", turned, .failed, [1, 3]).check(.waitsAtLeast(.seconds(1), after: .upgradeRefused))
    Case("a call", turned, .passed).check(.waitsAtLeast(.milliseconds(100), after: .upgradeRefused, before: .provider))
  }

  static func restarts(_ waits: [Int]) -> [Story.Line] {
    waits.enumerated().reduce(.login) { $0 + .returning(after: $1.element, as: UInt64($1.offset + 2)) }
  }

  @Test(arguments: [
    Case("chance", restarts([400, 900, 120, 610, 730]), .passed),
    Case("each twice as long as the one before", restarts([100, 200, 400, 800, 1_600]), .failed),
    Case("each twice as long, up to a longest", restarts([100, 200, 400, 800, 1_600, 1_600, 1_600]), .failed),
    Case("each 300 ms longer than the one before", restarts([300, 600, 900, 1_200, 1_500]), .failed),
    Case("longer and longer, by chance or not", restarts([100, 210, 260, 700, 760]), .undecided),
    Case("all the same", restarts([500, 500, 501, 499, 500]), .failed),
    Case("nearly the same", restarts([500, 530, 470, 515, 485]), .failed),
    Case("perhaps by chance", restarts([500, 540, 460, 520, 480]), .undecided),
    Case("surely not by chance", restarts([500, 540, 460, 520, 480, 500, 540, 460, 520, 480, 540, 460]), .failed),
    Case("at once, as the machine likes it", restarts([1, 3, 2, 6, 1]), .failed),
    Case("at once, as a busy machine likes it", restarts([1, 40, 2, 90, 25]), .undecided),
    Case("four", restarts([400, 900, 120, 610]), .undecided),
    Case("nothing", [], .undecided),
    // A doubling backoff has waits of all lengths, without randomness.
    Case("doubling once", (0..<8).map { .turnedAway(.overloaded, 100 << $0) }, .undecided),
  ])
  func `backoff_has_jitter fails waits that follow a law without chance`(_ scene: Case) {
    scene.check(.backoffHasJitter(after: scene.testDescription == "doubling once" ? .upgradeRefused : .closed))
  }

  @Test
  func `backoff_has_jitter compares each wait with its own step of the backoff`() {
    func story(_ factors: [Double]) -> [Story.Line] {
      factors.enumerated().flatMap { index, factor -> [Story.Line] in
        let connection = UInt64(index + 1)
        return [.opened(10, on: connection), .loggedIn(on: connection), .closed(.goingAway, on: connection)]
          + (0..<4).map { .turnedAway(.overloaded, Int(factor * Double(100 << $0))) }
      }
    }
    Case("by chance", story([0.6, 1, 1.3]), .passed).check(.backoffHasJitter(after: .upgradeRefused))
    Case("without", story([1, 1, 1]), .failed).check(.backoffHasJitter(after: .upgradeRefused))
  }

  @Test(arguments: [
    Case("in time", .login + .refresh() + .refresh("c"), .passed, [5, 9, 10, 14]),
    Case("too late", .login + [.requested(), .refreshed("b", 2_001)], .failed, [5, 6]),
    Case("cut off", .login + [.requested(), .cutOff(.refreshTimeout)], .failed, [5, 6]),
    Case("never", .login + [.requested()], .failed, [5]),
    Case("nothing", .login, .undecided),
  ])
  func `refreshed_in_time passes an answer within the time`(_ scene: Case) {
    scene.check(.refreshedInTime(within: .seconds(2)))
  }

  @Test
  func `refreshed_in_time fails as soon as the time has passed, and has no verdict before`() {
    Case("not yet", .login + [.requested()], .undecided, [5]).check(.refreshedInTime(within: .seconds(2)), later: 2_000)
    Case("late", .login + [.requested()], .failed, [5]).check(.refreshedInTime(within: .seconds(2)), later: 2_001)
    Case("no limit", .login + [.requested()], .undecided, [5]).check(.refreshedInTime())
  }

  @Test(arguments: [
    Case(
      "a fresh token each time",
      .login + [.closed(.tokenRevoked)] + .call + [.turnedAway(.tokenRevoked)] + .call + [.opened(on: 2)], .passed),
    Case(
      "the old token once", .login + [.closed(.tokenRevoked), .turnedAway(.tokenRevoked)] + .call + [.opened(on: 2)],
      .passed, [6]),
    Case(
      "the old token twice",
      .login + [.closed(.tokenRevoked), .turnedAway(.tokenRevoked), .turnedAway(.tokenRevoked)], .failed, [6, 7]),
  ])
  func `stops_after counts attempts to connect without a new token`(_ scene: Case) {
    scene.check(.stopsAfter(1, .staleConnection))
  }

  @Test(arguments: [
    Case("kept", .login + .refresh(), .passed, [9]),
    Case("opened another", .login + .refresh() + [.opened(on: 2)], .failed, [4, 10]),
    Case("closed", .login + .refresh() + [.closed(.peerClosed, by: .peer)], .failed, [4, 10]),
    Case("no refresh", .login, .undecided),
  ])
  func `keeps_connection fails a client that opens another connection for a refresh`(_ scene: Case) {
    scene.check(.keepsConnection)
  }

  @Test(arguments: [
    Case("with another token", .login + .returning(after: 500, as: 2), .passed, [5, 8]),
    Case("with the same token", .login + .returning(after: 500, as: 2, with: "a"), .failed, [5, 8]),
    Case("late", .login + .returning(after: 10_000, as: 2), .failed, [5, 8]),
    Case("not at all", .login + [.closed(.connectionLost, by: .transport)], .failed, [5]),
    Case("from an end that is for good", .login + [.closed(.invalidToken)], .undecided),
    Case("nothing", .login, .undecided),
    Case(
      "before the close is over",
      .login + [.cutOff(.serviceRestart), .opened(5, on: 2), .loggedIn("b", on: 2), .closed(.serviceRestart)], .passed
    ),
  ])
  func `comes_back passes a client that connects again`(_ scene: Case) { scene.check(.comesBack(newToken: true)) }

  @Test
  func `comes_back waits for the whole time before it fails`() {
    let lines = [Story.Line].login + [.closed(.connectionLost, by: .transport)]
    Case("yet", lines, .undecided, [5]).check(.comesBack(), later: 10_000)
    Case("late", lines, .failed, [5]).check(.comesBack(), later: 10_001)
    let behind = Story(.login + .returning(after: 5, as: 2)).verdict(.comesBack(newToken: true), after: 4)
    #expect(behind.outcome == .undecided)
  }

  // MARK: Lines and clients

  @Test
  func `expectations decide nothing about journal lines that are lost`() {
    let lines = [Story.Line].login + .refresh() + .refresh("c")
    let verdict = Story(lines, records: 8).verdict(.singleFlight())
    #expect(verdict.outcome == .undecided && verdict.sentence.contains("6 of the lines"))
    #expect(Story(lines, records: 8).verdict(.singleFlight(), after: 6).outcome == .passed)
  }

  @Test
  func `an expectation about several users must name the user`() {
    let lines = [Story.Line].login + .refresh() + [.bobComes]
    #expect(Story(lines).verdict(.singleFlight(), of: nil).outcome == .undecided)
    #expect(Story(lines).verdict(.singleFlight()).outcome == .passed)
    #expect(Story(.login + .refresh()).verdict(.singleFlight(), of: nil).outcome == .passed)
    let bob = UserID("bob")
    #expect(Story(lines).verdict(.oneProviderCallPerExpiry(quiet: .zero), of: bob).outcome == .undecided)
  }

  @Test(arguments: [
    GatewayControl.Expectation.singleFlight(), .oneProviderCallPerExpiry(quiet: .zero), .keepsConnection,
    .refreshedInTime(),
    .comesBack(), .noAttemptAfterTerminal(), .stopsAfter(1), .stopsAfter(10_000, .refresh),
    .waitsAtLeast(.milliseconds(1), after: .messageOut, before: .refresh),
    .backoffHasJitter(after: .refreshRequested),
  ])
  func `a long journal is checked in pieces, with the same verdict, while other clients are served`(
    _ expectation: GatewayControl.Expectation
  ) throws {
    let bob = UserID("bob")
    var lines: [Story.Line] = .login
    for number in 0..<2_000 {
      var other = Story.Line.presented()
      (other.user, other.connection) = (bob, 2)
      lines += .refresh(number.isMultiple(of: 2) ? "b" : "c") + [other, .said()]
    }
    let story = Story(lines, records: 16_384)
    let (whole, pieces, pauses) = try #require(story.verdicts(expectation))
    #expect(whole.outcome != .undecided || whole.sentence.contains("nothing has happened"))
    #expect(whole == pieces)
    // A failed expectation ignores the later lines.
    #expect(pauses || whole.outcome == .failed)
  }

  @Test
  func `a client that needs no provider token is not checked for provider calls until it needs one`() {
    let own: [Story.Line] = [.opened(), .loggedIn(), .requested(), .presented(), .refreshed()]
    #expect(Story(own).verdict(.oneProviderCallPerExpiry(quiet: .zero)).outcome == .notApplicable)
    let verdict = Story(own + .refresh("c")).verdict(.oneProviderCallPerExpiry(quiet: .zero))
    #expect(verdict.outcome == .failed && verdict.sentence.hasPrefix("0 provider calls"))
  }

  @Test(arguments: ExpectationForm.all)
  func `an expectation is made from its word, with its own parameters and no others`(_ form: ExpectationForm) throws {
    var parameters = ExpectationParameters()
    parameters.atMost = form.takes.contains(.atMost) ? 1 : nil
    parameters.atLeast = form.takes.contains(.atLeast) ? .seconds(1) : nil
    #expect(try form.expectation(parameters).name == form.name)
    if parameters.atMost != nil || parameters.atLeast != nil {
      #expect(throws: GatewayError.self) { try form.expectation(ExpectationParameters()) }
    }
    for name in ExpectationParameters.Name.allCases where !form.takes.contains(name) {
      var strange = parameters
      switch name {
      case .since: strange.since = .closed
      case .attempt: strange.attempt = .refresh
      case .atLeast: strange.atLeast = .zero
      case .atMost: strange.atMost = 0
      case .quiet: strange.quiet = .zero
      case .within: strange.within = .zero
      case .newToken: strange.newToken = false
      case .perConnection: strange.perConnection = false
      }
      #expect(throws: GatewayError.self) { try form.expectation(strange) }
    }
  }
}
