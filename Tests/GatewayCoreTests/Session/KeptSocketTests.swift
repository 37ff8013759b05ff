import GatewayCore
import TestSupport
import Testing

struct KeptSocketTests {
  private static func policy(refusedRefreshesMax: Int = 3) throws -> SessionPolicy {
    try SessionPolicy(refusedRefreshesMax: refusedRefreshesMax).keepingSocketAtEnd
  }

  @Test
  func `on a kept socket a missed refresh logs the user out, and the next login is like the first`() throws {
    var script = SessionScript(loggedInUntil: 100, try Self.policy())
    #expect(script.at(100, .wakeUp).count == 2)
    #expect(script.at(160, .wakeUp) == [.logOut, .send(.loggedOut(user: UserID("ann"), request: nil))])
    #expect(script.session.grant == nil && script.session.phaseKind.name == "awaiting_credentials")
    #expect(script.at(161, .credentials("new")) == [.verify(attempt: 2, Credentials(token: "new"))])
    #expect(script.at(161, .accepted(2, .token(2, expiresAt: 300))).count == 2)
    #expect(script.session.grant?.user == UserID("ann"))
  }

  @Test
  func `on a kept socket the first refused refresh logs the user out, but an unverifiable one does not`() throws {
    var script = SessionScript(loggedInUntil: 100, try Self.policy())
    _ = script.at(50, .credentials())
    #expect(script.at(50, .refused(2, .storeUnavailable)).count == 2)
    #expect(script.session.grant != nil)
    _ = script.at(51, .credentials())
    let effects = script.at(51, .refused(3, .tokenExpired))
    #expect(effects.suffix(2) == [.logOut, .send(.loggedOut(user: UserID("ann"), request: nil))])
    #expect(script.session.grant == nil)
  }

  @Test
  func `on a kept socket refused logins do not extend the timeout, and too many of them close it`() throws {
    var script = SessionScript(try Self.policy(refusedRefreshesMax: 3))
    let deadline = script.session.nextDeadline
    for attempt in 1...2 as ClosedRange<UInt32> {
      _ = script.at(1, .credentials())
      #expect(
        script.at(1, .refused(attempt, .tokenExpired)) == [
          .record(.loginRefused(.tokenExpired)), .send(.loginRefused(.tokenExpired, request: nil)),
        ])
      #expect(script.session.nextDeadline == deadline)
    }
    _ = script.at(2, .credentials())
    #expect(script.at(2, .refused(3, .tokenExpired)).last == .close(.invalidToken))
  }

  @Test
  func `on a kept socket a revoked token logs the user out if revocation closes`() throws {
    let policy = try SessionPolicy(revocation: .close).keepingSocketAtEnd
    var script = SessionScript(loggedInUntil: 100, policy)
    #expect(script.at(1, .revoked).first == .logOut)
    #expect(script.session.phaseKind.name == "awaiting_credentials")
  }

  @Test
  func `a wire that ends at the first refused refresh closes, and another wire continues`() throws {
    for (policy, isEnd) in [
      (try SessionPolicy(refusedRefreshesMax: 8).endingAtRefusedRefresh, true),
      (try SessionPolicy(refusedRefreshesMax: 8), false),
    ] {
      var script = SessionScript(loggedInUntil: 100, policy)
      _ = script.at(50, .credentials())
      let effects = script.at(50, .refused(2, .tokenExpired))
      #expect((effects.last == .close(.tooManyFailures)) == isEnd)
      #expect((script.session.grant == nil) == isEnd)
    }
  }
}
