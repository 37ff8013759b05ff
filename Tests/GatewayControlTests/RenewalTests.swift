import GatewayControl
import GatewayCore
import GatewayRuntime
import Testing

struct RenewalTests {
  /// A story on a wire, and its expected outcome.
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let renewal: RefreshHabit.How
    let lines: [Story.Line]
    let outcome: JournalVerdict.Outcome
    let proof: [UInt64]

    init(
      _ name: String, _ renewal: RefreshHabit.How, _ lines: [Story.Line], _ outcome: JournalVerdict.Outcome,
      _ proof: [UInt64]
    ) {
      (testDescription, self.renewal, self.lines, self.outcome, self.proof) = (name, renewal, lines, outcome, proof)
    }

    func check(_ expectation: GatewayControl.Expectation) {
      let verdict = Story(lines, renewal: renewal).verdict(expectation)
      #expect(verdict.outcome == outcome && verdict.lines == proof, "\(verdict)")
    }
  }

  private static let timer: [Story.Line] = .call + [.opened(), .ending("a", isRefresh: false)]

  @Test(arguments: [
    Case("by its timer", .timer, timer + .call + [.ending("b", isRefresh: true)], .passed, [4, 7]),
    Case(
      "not the second time", .timer,
      timer + .call + [.ending("b", isRefresh: true), .ended(.renew)] + .call
        + [.opened(on: 2), .loggedIn("c", on: 2)], .failed, [7, 8]),
    Case("an end that says nothing of tokens", .timer, timer + [.ended(.retry)], .undecided, []),
    Case(
      "back with another token", .reconnect, .login + [.ended(.renew)] + .call + [.loggedIn("b", on: 2)], .passed,
      [5, 8]),
    Case(
      "asked, and back", .reconnect,
      .login + [.requested(), .closed(.refreshTimeout)] + .call + [.loggedIn("b", on: 2)], .passed, [5, 9]),
    Case("back with the old token", .reconnect, .login + [.ended(.renew), .loggedIn("a", on: 2)], .failed, [5, 6]),
    Case("never back", .reconnect, .login + [.ended(.renew)], .failed, [5]),
    Case(
      "not back the second time", .reconnect,
      .login + [.ended(.renew)] + .call + [.loggedIn("b", on: 2), .ended(.renew, on: 2)], .failed, [9]),
    Case("asked, and gone", .asked, .login + [.requested(), .ended(.renew)], .failed, [5, 6]),
  ])
  func `refreshed_in_time counts a reconnect as a renewal if clients of the wire renew by reconnecting`(_ scene: Case) {
    scene.check(.refreshedInTime(within: .seconds(10)))
  }

  @Test(arguments: [
    Case(
      "one call", .reconnect, .login + [.ended(.renew)] + .call + [.opened(on: 2), .loggedIn("b", on: 2)], .passed,
      [5, 7, 9]),
    Case(
      "three calls", .reconnect,
      .login + [.ended(.renew)] + .call + .call + .call + [.opened(on: 2), .loggedIn("b", on: 2)], .failed,
      [5, 7, 9, 11, 13]),
    Case(
      "asked, one call, and back", .reconnect,
      .login + [.requested()] + .call + [.ended(.renew), .opened(on: 2), .loggedIn("b", on: 2)], .passed, [5, 7, 10]),
    Case(
      "asked, gone, one call, and back", .reconnect,
      .login + [.requested(), .ended(.renew)] + .call + [.opened(on: 2), .loggedIn("b", on: 2)], .passed, [5, 8, 10]),
    Case(
      "a call before the end, and one behind it", .reconnect,
      .login + [.requested()] + .call + [.ended(.renew)] + .call + [.opened(on: 2), .loggedIn("b", on: 2)], .failed,
      [5, 7, 10, 12]),
    Case(
      "two calls before the end", .reconnect,
      .login + [.requested()] + .call + .call + [.ended(.renew)], .failed, [5, 7, 9, 10]),
    Case(
      "a call before the end, and one behind it, where clients are asked", .asked,
      .login + [.requested()] + .call + [.ended(.renew)] + .call + [.opened(on: 2), .loggedIn("b", on: 2)], .passed,
      [5, 10, 12]),
    Case("one call of a timer", .timer, timer + .call + [.ending("b", isRefresh: true)], .passed, [6, 7]),
    Case("two calls of a timer", .timer, timer + .call + .call + [.ending("b", isRefresh: true)], .failed, [6, 8, 9]),
  ])
  func `one_provider_call_per_expiry counts the calls of a renewal on every wire`(_ scene: Case) {
    scene.check(.oneProviderCallPerExpiry(quiet: .seconds(1)))
  }

  @Test
  func `a close behind a proxy is recorded with its meaning for the client`() {
    let close = JournalClose(.withoutCode, code: 3005, isFaulted: true, then: .renew)
    #expect(close.isFaulted && close.then == .renew)
    for then in ReturnVerdict.allCases { #expect(JournalClose(.goingAway, code: 1001, then: then).then == then) }
    #expect(JournalClose(.goingAway, code: 1001).then == nil && !JournalClose(.goingAway, code: 1001).isFaulted)
  }
}
