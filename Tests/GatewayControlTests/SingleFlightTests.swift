import GatewayControl
import GatewayCore
import Testing

struct SingleFlightTests {
  typealias Case = ExpectationTests.Case

  @Test(arguments: [
    Case("one call after the other", .login + .refresh() + .refresh("c"), .passed),
    Case(
      "a second call while the first is under way", .login + [.asked(), .asked(), .minted(), .minted()], .failed,
      [5, 6]),
    Case("a call after one that failed", [.asked(), .failed(), .asked(), .minted()], .passed),
    Case("two tokens before an answer", .login + [.requested(), .presented(), .presented()], .failed, [6, 7]),
    Case(
      "a second token at once behind the answer",
      .login + [.requested(), .presented(), .refreshed(), .presented()], .failed, [6, 8]),
    Case("one that comes by itself much later", .login + .refresh() + [.presented(3_000)], .passed),
    Case(
      "another token after a refusal",
      .login + [.requested(), .presented(), .refused(.tokenExpired), .presented(), .refreshed()], .passed),
    Case("nothing", [], .undecided, []),
    Case("tokens from elsewhere", [.opened(), .loggedIn(), .requested(), .presented(), .refreshed()], .undecided),
  ])
  func `single_flight passes one provider call at a time and fails two at once`(_ scene: Case) {
    scene.check(.singleFlight())
  }

  @Test(arguments: [
    Case(
      "a call that the client gave up with its connection",
      .login + [.asked(), .closed(.serviceRestart), .asked(), .minted(), .minted()] + [
        .opened(on: 2), .loggedIn("b", on: 2),
      ], .passed),
    Case(
      "two calls before the connection ends", .login + [.asked(), .asked(), .closed(.serviceRestart)], .failed, [5, 6]),
    Case("two calls after it", .login + [.asked(), .closed(.serviceRestart), .asked(), .asked()], .failed, [7, 8]),
    Case(
      "two calls of a client that is not connected", .login + [.closed(.serviceRestart), .asked(), .asked()], .failed,
      [6, 7]),
    Case(
      "a call while the one before is under way, and another connection ends",
      .login + [.asked(), .opened(on: 2), .closed(.serviceRestart, on: 2), .asked()], .failed, [5, 8]),
  ])
  func `single_flight per connection counts no call of a connection that has ended`(_ scene: Case) {
    scene.check(.singleFlight(perConnection: true))
    if scene.outcome == .passed { #expect(Story(scene.lines).verdict(.singleFlight()).outcome == .failed) }
  }
}
