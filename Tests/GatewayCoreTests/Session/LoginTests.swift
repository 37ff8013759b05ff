import GatewayCore
import TestSupport
import Testing

struct LoginTests {
  @Test
  func `credentials are verified, and a good token makes the session active`() {
    var script = SessionScript()
    #expect(script.session.nextDeadline == .seconds(10))
    #expect(
      script.at(1, .credentials("good", request: "1")) == [.verify(attempt: 1, Credentials(token: "good"))])
    #expect(
      script.at(2, .accepted(1, .token(expiresAt: 100))) == [
        .record(.loggedIn(.regular, after: .seconds(2))),
        .send(
          .connected(
            script.session.id, user: UserID("ann"), kind: .regular, expiresIn: .seconds(98), request: RequestID("1"))),
      ])
    #expect(script.session.phaseKind.name == "active")
    #expect(script.session.nextDeadline == .seconds(100))
  }

  @Test
  func `guests log in, and a token that never expires has no deadline`() {
    var script = SessionScript()
    _ = script.at(0, .credentials())
    #expect(
      script.at(0, .accepted(1, .token(user: "guest-1", kind: .guest, expiresAt: nil))) == [
        .record(.loggedIn(.guest, after: .zero)),
        .send(
          .connected(script.session.id, user: UserID("guest-1"), kind: .guest, expiresIn: nil, request: nil)),
      ])
    #expect(script.session.nextDeadline == nil)
  }

  @Test
  func `an anonymous user gets an error and a close, never a session`() {
    var script = SessionScript()
    _ = script.at(0, .credentials(request: "1"))
    #expect(
      script.at(0, .accepted(1, .token(kind: .anonymous, expiresAt: 100))) == [
        .record(.loginRefused(.anonymousRefused)), .send(.loginRefused(.anonymousRefused, request: RequestID("1"))),
        .close(.anonymousRefused),
      ])
    #expect(script.session.grant == nil)
  }

  @Test
  func `a refused token gets its error and a close`() {
    var script = SessionScript()
    _ = script.at(0, .credentials())
    #expect(
      script.at(0, .refused(1, .tokenExpired)) == [
        .record(.loginRefused(.tokenExpired)), .send(.loginRefused(.tokenExpired, request: nil)), .close(.invalidToken),
      ])
  }

  @Test
  func `credentials that need another step log no user in and do not extend the timeout, and their notes are kept`() {
    var script = SessionScript(try! SessionPolicy(refusedRefreshesMax: 2))
    let half = Acceptance.token(expiresAt: 100).with {
      $0.wants = .credentialsMissing
      $0.notes = Baggage("device d1")
    }
    _ = script.at(1, .credentials(request: "start"))
    #expect(
      script.at(2, .accepted(1, half)) == [.send(.error(.credentialsMissing, request: RequestID("start")))])
    #expect(script.session.phaseKind.name == "awaiting_credentials")
    #expect(script.session.nextDeadline == .seconds(10))
    #expect(script.session.notes == half.token.notes)

    _ = script.at(3, .credentials())
    #expect(
      script.at(3, .accepted(2, half)) == [
        .send(.error(.credentialsMissing, request: nil)), .close(.tooManyFailures),
      ])
  }

  @Test
  func `if the wire has it so, a refused client has time to close by itself, and its messages are ignored`() {
    var script = SessionScript(try! SessionPolicy(refusalLinger: .seconds(3)))
    _ = script.at(0, .credentials())
    #expect(
      script.at(1, .refused(1, .tokenExpired)) == [
        .record(.loginRefused(.tokenExpired)), .send(.loginRefused(.tokenExpired, request: nil)),
      ])
    #expect(script.at(2, .join(request: "7")) == [])
    #expect(script.at(2, .credentials()) == [])
    #expect(script.at(4, .wakeUp) == [.close(.invalidToken)])
  }

  @Test
  func `a refused client that closes by itself is not closed by the gateway`() {
    var script = SessionScript(try! SessionPolicy(refusalLinger: .seconds(3)))
    _ = script.at(0, .credentials())
    _ = script.at(1, .refused(1, .tokenExpired))
    #expect(script.at(2, .peerClosed) == [.record(.ended(.peerClosed))])
  }

  @Test
  func `an operation before login gets 800101, whether or not a token is being verified`() {
    var script = SessionScript()
    let refusal: [SessionEffect] = [.send(.error(.connectionRequired, request: RequestID("7")))]
    #expect(script.at(0, .join(request: "7")) == refusal)
    _ = script.at(0, .credentials())
    #expect(script.at(0, .join(request: "7")) == refusal)
  }

  @Test
  func `a ping before login is answered`() {
    var script = SessionScript()
    #expect(script.at(0, .received(.ping(request: RequestID("p")))) == [.send(.pong(request: RequestID("p")))])
  }

  @Test
  func `a second token while the first is being verified is refused, and the first one still counts`() {
    var script = SessionScript()
    _ = script.at(0, .credentials())
    #expect(
      script.at(0, .credentials(request: "2")) == [.send(.error(.alreadyInProgress, request: RequestID("2")))])
    #expect(script.at(0, .accepted(1, .token(expiresAt: 100))).count == 2)
    #expect(script.session.phaseKind.name == "active")
  }

  @Test(arguments: [SessionEvent.wakeUp, .credentials(), .join(), .accepted(1, .token(expiresAt: 100))])
  func `the login timeout closes at its last nanosecond and not before`(event: SessionEvent) {
    for isJudging in [false, true] {
      var script = SessionScript()
      if isJudging { _ = script.at(0, .credentials(request: "1")) }
      let request = isJudging ? RequestID("1") : nil
      var early = script
      #expect(early.at(.seconds(10) - .nanoseconds(1), .wakeUp).isEmpty)
      #expect(
        script.at(10, event) == [
          .send(.error(.connectionRequired, request: request)), .close(.loginTimeout),
        ])
    }
  }

  @Test
  func
    `a token that expired within the leeway logs in, and another is requested at once, with no more time than documented`()
  {
    var script = SessionScript()
    _ = script.at(9, .credentials())
    #expect(
      script.at(9, .accepted(1, .token(expiresAt: 5))) == [
        .record(.loggedIn(.regular, after: .seconds(9))),
        .send(
          .connected(script.session.id, user: UserID("ann"), kind: .regular, expiresIn: .zero, request: nil)),
        .record(.refreshRequested(.expiry)), .send(.refreshRequired(.expiry, timeout: .seconds(56))),
      ])
    #expect(script.session.nextDeadline == .seconds(65))
  }

  @Test
  func `orders that concern a grant change nothing before there is one`() {
    var script = SessionScript()
    let before = script.session
    for event in [SessionEvent.expireNow, .askForRefresh, .revoked, .wakeUp, .refused(9)] {
      #expect(script.at(0, event).isEmpty)
    }
    #expect(script.session == before)
  }

  @Test
  func `a drain closes a session before its login at once`() {
    for isJudging in [false, true] {
      var script = SessionScript()
      if isJudging { _ = script.at(0, .credentials()) }
      #expect(script.at(0, .drain(until: .seconds(100))) == [.close(.serviceRestart)])
    }
  }
}
