import GatewayCore
import TestSupport
import Testing

struct RefreshTests {
  @Test
  func `expiry sends one refresh request, and a new token keeps the same session`() {
    var script = SessionScript(loggedInUntil: 100)
    #expect(script.at(99, .wakeUp).isEmpty)
    #expect(
      script.at(100, .wakeUp) == [
        .record(.refreshRequested(.expiry)), .send(.refreshRequired(.expiry, timeout: .seconds(60))),
      ])
    #expect(script.at(101, .wakeUp).isEmpty)
    #expect(script.at(105, .credentials("new", request: "2")) == [.verify(attempt: 2, Credentials(token: "new"))])
    #expect(
      script.at(107, .accepted(2, .token(2, expiresAt: 200))) == [
        .record(.refreshed(after: .seconds(7))),
        .send(.refreshed(expiresIn: .seconds(93), request: RequestID("2"))),
      ])
    #expect(script.session.nextDeadline == .seconds(200))
    #expect(script.session.grant?.user == UserID("ann"))
  }

  @Test
  func `the lead and the connection's share of the spread come before expiry`() throws {
    let policy = try SessionPolicy(refreshLead: .seconds(30), refreshSpread: .seconds(20))
    var script = SessionScript(policy)
    _ = script.at(0, .credentials())
    _ = script.at(0, .accepted(1, .token(expiresAt: 1_000, share: 0.25)))
    #expect(script.session.nextDeadline == .seconds(965))
  }

  @Test
  func `a token with a life shorter than the lead is renewed at half its life, without a tight loop`() throws {
    var script = SessionScript(loggedInUntil: 10, try SessionPolicy(refreshLead: .seconds(30)))
    #expect(script.session.nextDeadline == .seconds(5))
    #expect(script.at(5, .wakeUp).count == 2)
    _ = script.at(5, .credentials())
    #expect(script.at(5, .accepted(2, .token(2, expiresAt: 15))).count == 2)
    #expect(script.session.nextDeadline == .seconds(10))
  }

  @Test
  func `a life of centuries is not due at once`() {
    let script = SessionScript(loggedInUntil: 9_000_000_000)
    #expect(script.session.nextDeadline == .seconds(9_000_000_000))
  }

  @Test
  func `a missed timeout closes on its last tick, and one tick earlier the answer still counts`() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(100, .wakeUp)
    var early = script
    #expect(early.at(.seconds(160) - .nanoseconds(1), .credentials()).count == 1)
    #expect(early.at(.seconds(160) - .nanoseconds(1), .accepted(2, .token(2, expiresAt: 300))).count == 2)
    #expect(early.session.phaseKind.name == "active")
    #expect(script.at(160, .credentials()) == [.close(.refreshTimeout)])
  }

  @Test
  func `the timeout also passes while a token is verified, and the late verdict is dropped`() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(100, .wakeUp)
    _ = script.at(159, .credentials())
    #expect(script.at(160, .wakeUp) == [.close(.refreshTimeout)])
    #expect(script.at(161, .accepted(2, .token(2, expiresAt: 300))).isEmpty)
  }

  @Test
  func `a gateway that wakes up late gives no client more time than documented`() {
    var script = SessionScript(loggedInUntil: 100)
    var later = script
    #expect(
      script.at(130, .wakeUp) == [
        .record(.refreshRequested(.expiry)), .send(.refreshRequired(.expiry, timeout: .seconds(30))),
      ])
    #expect(script.session.nextDeadline == .seconds(160))
    #expect(later.at(1_000, .join()).contains(.close(.refreshTimeout)))
  }

  @Test
  func `another user's token at a refresh is refused and the old identity stays`() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(100, .wakeUp)
    for (attempt, token) in [
      (2, Acceptance.token(2, user: "bob", expiresAt: 300)), (3, .token(3, kind: .guest, expiresAt: 300)),
    ] {
      _ = script.at(110, .credentials(request: "r"))
      #expect(
        script.at(110, .accepted(UInt32(attempt), token)) == [
          .record(.refreshRefused(.userMismatch)), .send(.error(.userMismatch, request: RequestID("r"))),
        ])
    }
    #expect(script.session.grant?.user == UserID("ann"))
    #expect(script.session.nextDeadline == .seconds(160))
    #expect(script.at(120, .join()).count == 1)
  }

  @Test
  func `an expired token is refused at a refresh, whether it is the same one or another`() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(100, .wakeUp)
    _ = script.at(101, .credentials())
    #expect(script.at(101, .accepted(2, .token(1, expiresAt: 100))).first == .record(.refreshRefused(.tokenNotRenewed)))
    _ = script.at(102, .credentials())
    #expect(script.at(102, .accepted(3, .token(2, expiresAt: 102))).first == .record(.refreshRefused(.tokenExpired)))
    #expect(script.session.phaseKind.name == "refreshing")
    #expect(script.at(160, .wakeUp) == [.close(.refreshTimeout)])
  }

  @Test
  func `a client may present its own token again before the gateway asks, but not an expired one`() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(50, .credentials())
    #expect(
      script.at(50, .accepted(2, .token(1, expiresAt: 100))) == [
        .record(.refreshed(after: nil)), .send(.refreshed(expiresIn: .seconds(50), request: nil)),
      ])
    _ = script.at(60, .credentials())
    #expect(script.at(60, .accepted(3, .token(2, expiresAt: 59))).first == .record(.refreshRefused(.tokenExpired)))
    #expect(script.session.nextDeadline == .seconds(100))
  }

  @Test
  func `a request that becomes due while a token is verified is held back, and sent if the token is refused`() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(99, .credentials())
    #expect(script.at(100, .wakeUp).isEmpty)
    var accepted = script
    #expect(
      accepted.at(101, .accepted(2, .token(2, expiresAt: 200))) == [
        .record(.refreshed(after: nil)), .send(.refreshed(expiresIn: .seconds(99), request: nil)),
      ])
    #expect(
      script.at(101, .refused(2)) == [
        .record(.refreshRefused(.signatureInvalid)), .send(.error(.signatureInvalid, request: nil)),
        .record(.refreshRequested(.expiry)), .send(.refreshRequired(.expiry, timeout: .seconds(59))),
      ])
  }

  @Test
  func `an answer to an older question is dropped`() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(10, .credentials())
    let before = script.session
    for attempt in [UInt32(0), 1, 3, .max] {
      #expect(script.at(10, .accepted(attempt, .token(2, user: "bob", expiresAt: 200))).isEmpty)
    }
    #expect(script.session == before)
  }

  @Test
  func `too many refused tokens end the session, and an accepted one resets the count`() throws {
    var script = SessionScript(loggedInUntil: 100, try SessionPolicy(refusedRefreshesMax: 2))
    for attempt in [UInt32(2), 4] {
      _ = script.at(10, .credentials())
      #expect(script.at(10, .refused(attempt)).count == 2)
      _ = script.at(10, .credentials())
      #expect(script.at(10, .accepted(attempt + 1, .token(UInt64(attempt), expiresAt: 100))).count == 2)
    }
    _ = script.at(20, .credentials())
    #expect(script.at(20, .refused(6)).count == 2)
    _ = script.at(20, .credentials())
    #expect(script.at(20, .refused(7)).last == .close(.tooManyFailures))
  }

  @Test
  func `a token that another request brought renews the session, and the client gets no message`() {
    var script = SessionScript(loggedInUntil: 100)
    #expect(script.at(50, .renewed(.token(2, expiresAt: 200))) == [.record(.refreshed(after: nil))])
    #expect(script.session.nextDeadline == .seconds(200))
    _ = script.at(200, .wakeUp)
    #expect(script.at(207, .renewed(.token(3, expiresAt: 300))) == [.record(.refreshed(after: .seconds(7)))])
    #expect(script.session.phaseKind.name == "active")
    #expect(script.at(210, .renewed(.token(4, user: "bob", expiresAt: 900))).isEmpty)
    #expect(script.session.nextDeadline == .seconds(300))
  }

  @Test
  func `a session that has reached its own end may be renewed with the same token`() {
    var script = SessionScript()
    let login = Acceptance.token(1, expiresAt: 100).with { $0.renewal = .sessionEnd }
    _ = script.at(0, .credentials())
    _ = script.at(0, .accepted(1, login))
    #expect(
      script.at(100, .wakeUp) == [
        .record(.refreshRequested(.sessionEnd)), .send(.refreshRequired(.sessionEnd, timeout: .seconds(60))),
      ])
    _ = script.at(110, .credentials())
    let renewed = login.with(expiresAt: .seconds(200))
    #expect(script.at(110, .accepted(2, renewed)).first == .record(.refreshed(after: .seconds(10))))
  }

  @Test
  func `an operator's expire order makes the token as expired as any from then on`() {
    var script = SessionScript(loggedInUntil: 86_400)
    #expect(
      script.at(10, .expireNow) == [
        .record(.refreshRequested(.expiry)), .send(.refreshRequired(.expiry, timeout: .seconds(60))),
      ])
    #expect(script.at(20, .expireNow).isEmpty)
    #expect(script.session.grant?.expiresAt == .seconds(10))
    #expect(script.at(70, .wakeUp) == [.close(.refreshTimeout)])
  }

  @Test
  func `an operator's refresh order makes the gateway ask once for a token, although the present one is valid`() {
    var script = SessionScript(loggedInUntil: 86_400)
    #expect(
      script.at(10, .askForRefresh) == [
        .record(.refreshRequested(.request)), .send(.refreshRequired(.request, timeout: .seconds(60))),
      ])
    #expect(script.at(11, .askForRefresh).isEmpty)
    var expired = script
    #expect(expired.at(12, .expireNow).isEmpty)
    #expect(expired.session.nextDeadline == .seconds(70))
    _ = script.at(20, .credentials())
    #expect(
      script.at(20, .accepted(2, .token(1, expiresAt: 86_400))).first == .record(.refreshRefused(.tokenNotRenewed)))
  }

  @Test
  func `an order during a verification is held back until the verdict shows whether it is still needed`() {
    for (order, cause) in [
      (SessionEvent.expireNow, RefreshCause.expiry), (.askForRefresh, .request), (.revoked, .revocation),
    ] {
      var script = SessionScript(loggedInUntil: 86_400)
      _ = script.at(10, .credentials())
      #expect(script.at(10, order).isEmpty)
      var accepted = script
      #expect(accepted.at(11, .accepted(2, .token(2, expiresAt: 86_400))).count == 2)
      #expect(accepted.session.phaseKind.name == "active")
      #expect(script.at(11, .refused(2)).last == .send(.refreshRequired(cause, timeout: .seconds(59))))
    }
  }
}
