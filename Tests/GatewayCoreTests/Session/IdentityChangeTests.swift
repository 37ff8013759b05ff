import GatewayCore
import TestSupport
import Testing

@Suite("A session whose user changes")
struct IdentityChangeTests {
  private static let changing = try! SessionPolicy(allowsIdentityChange: true)

  @Test("goes back to before the login when its user logs out, with the time that a login has")
  func logsOut() {
    var script = SessionScript(loggedInUntil: 100)
    let request = RequestID("7")
    #expect(
      script.at(20, .received(.logout(request: request)))
        == [.logOut, .send(.loggedOut(user: UserID("ann"), request: request))])
    #expect(script.session.grant == nil && script.session.nextDeadline == .seconds(30))
    #expect(script.at(21, .join()) == [.send(.error(.connectionRequired, request: nil))])
    #expect(script.at(30, .wakeUp).last == .close(.loginTimeout))
  }

  @Test("logs in again, as anybody, after a logout")
  func logsInAgain() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(20, .received(.logout(request: nil)))
    #expect(script.at(25, .credentials()) == [.verify(attempt: 2, Credentials(token: "token"))])
    let effects = script.at(25, .accepted(2, .token(2, user: "bob", expiresAt: 200)))
    #expect(effects.first == .record(.loggedIn(.regular, after: .seconds(5))))
    #expect(script.session.grant?.user == UserID("bob"))
  }

  @Test("drops the verdict on a token that was being judged when its user logged out")
  func dropsVerdict() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(20, .credentials())
    _ = script.at(20, .received(.logout(request: nil)))
    #expect(script.at(21, .accepted(2, .token(2, expiresAt: 200))).isEmpty)
    #expect(script.session.grant == nil)
  }

  @Test("is closed at once when its user logs out while the gateway drains")
  func logsOutDraining() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(10, .drain(until: .seconds(50)))
    #expect(
      script.at(20, .received(.logout(request: nil)))
        == [.logOut, .send(.loggedOut(user: UserID("ann"), request: nil)), .close(.serviceRestart)])
  }

  @Test("has nobody to log out before the login")
  func nobody() {
    var script = SessionScript()
    #expect(
      script.at(1, .received(.logout(request: nil))) == [.send(.error(.connectionRequired, request: nil))])
  }

  @Test("logs the old user out and the new one in with another's token, where the policy allows that")
  func changes() throws {
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

  @Test(
    "keeps its user for a token that would not let anybody in",
    arguments: [
      (Acceptance.token(2, kind: .anonymous, expiresAt: 200), GatewayError.anonymousRefused),
      (.token(2, user: "bob", expiresAt: 20), .tokenExpired),
    ])
  func keeps(acceptance: Acceptance, error: GatewayError) {
    var script = SessionScript(loggedInUntil: 100, Self.changing)
    _ = script.at(20, .credentials())
    #expect(
      script.at(20, .accepted(2, acceptance)) == [.record(.refreshRefused(error)), .send(.error(error, request: nil))])
    #expect(script.session.grant?.user == UserID("ann"))
  }

  @Test("is not changed by a token that was accepted elsewhere")
  func notFromElsewhere() {
    var script = SessionScript(loggedInUntil: 100, Self.changing)
    #expect(script.at(20, .renewed(.token(2, user: "bob", expiresAt: 200))).isEmpty)
    #expect(script.session.grant?.user == UserID("ann"))
  }
}
