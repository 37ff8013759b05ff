import GatewayCore
import TestSupport
import Testing

struct IdentityChangeTests {
  private static let changing = try! SessionPolicy(allowsIdentityChange: true)

  @Test
  func `a logout takes a session back to before its login, with a login's time`() {
    var script = SessionScript(loggedInUntil: 100)
    let request = RequestID("7")
    #expect(
      script.at(20, .received(.logout(request: request)))
        == [.logOut, .send(.loggedOut(user: UserID("ann"), request: request))])
    #expect(script.session.grant == nil && script.session.nextDeadline == .seconds(30))
    #expect(script.at(21, .join()) == [.send(.error(.connectionRequired, request: nil))])
    #expect(script.at(30, .wakeUp).last == .close(.loginTimeout))
  }

  @Test
  func `after a logout a session can log in again, as any user`() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(20, .received(.logout(request: nil)))
    #expect(script.at(25, .credentials()) == [.verify(attempt: 2, Credentials(token: "token"))])
    let effects = script.at(25, .accepted(2, .token(2, user: "bob", expiresAt: 200)))
    #expect(effects.first == .record(.loggedIn(.regular, after: .seconds(5))))
    #expect(script.session.grant?.user == UserID("bob"))
  }

  @Test
  func `a logout drops the verdict on a token that is being verified`() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(20, .credentials())
    _ = script.at(20, .received(.logout(request: nil)))
    #expect(script.at(21, .accepted(2, .token(2, expiresAt: 200))).isEmpty)
    #expect(script.session.grant == nil)
  }

  @Test
  func `a logout during a drain closes the session at once`() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(10, .drain(until: .seconds(50)))
    #expect(
      script.at(20, .received(.logout(request: nil)))
        == [.logOut, .send(.loggedOut(user: UserID("ann"), request: nil)), .close(.serviceRestart)])
  }

  @Test
  func `a session before its login has no user to log out`() {
    var script = SessionScript()
    #expect(
      script.at(1, .received(.logout(request: nil))) == [.send(.error(.connectionRequired, request: nil))])
  }

  @Test
  func `another user's token logs the old user out and the new one in, if the policy allows it`() throws {
    var script = SessionScript(loggedInUntil: 100, Self.changing)
    _ = script.at(20, .credentials(request: "9"))
    let effects = script.at(20, .accepted(2, .token(2, user: "bob", kind: .guest, expiresAt: 200)))
    #expect(
      effects == [
        .logOut, .send(.loggedOut(user: UserID("ann"), request: nil)), .record(.loggedIn(.guest, after: .zero)),
        .send(
          .connected(
            ConnectionID(loop: 0, serial: 1), user: UserID("bob"), kind: .guest, expiresIn: .seconds(180),
            request: RequestID("9"))),
      ])
    #expect(script.session.grant?.user == UserID("bob") && script.session.nextDeadline == .seconds(200))
  }

  @Test(arguments: [
    (Acceptance.token(2, kind: .anonymous, expiresAt: 200), GatewayError.anonymousRefused),
    (.token(2, user: "bob", expiresAt: 20), .tokenExpired),
  ])
  func `a session keeps its user when another user's token is refused`(acceptance: Acceptance, error: GatewayError) {
    var script = SessionScript(loggedInUntil: 100, Self.changing)
    _ = script.at(20, .credentials())
    #expect(
      script.at(20, .accepted(2, acceptance)) == [.record(.refreshRefused(error)), .send(.error(error, request: nil))])
    #expect(script.session.grant?.user == UserID("ann"))
  }

  @Test
  func `a token that was accepted by another request does not change a session's user`() {
    var script = SessionScript(loggedInUntil: 100, Self.changing)
    #expect(script.at(20, .renewed(.token(2, user: "bob", expiresAt: 200))).isEmpty)
    #expect(script.session.grant?.user == UserID("ann"))
  }
}
