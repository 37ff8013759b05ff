import GatewayCore
import TestSupport
import Testing

struct EndingTests {
  /// A session in each open phase, at 10 s, logged in until 100 s if it is logged in.
  static let openPhases: [(name: String, script: SessionScript)] = {
    var judging = SessionScript(loggedInUntil: 100)
    _ = judging.at(10, .credentials())
    var refreshing = SessionScript(loggedInUntil: 100)
    _ = refreshing.at(10, .askForRefresh)
    var judgingAsked = refreshing
    _ = judgingAsked.at(10, .credentials())
    var draining = SessionScript(loggedInUntil: 100)
    _ = draining.at(10, .drain(until: .seconds(50)))
    var authenticating = SessionScript(try! SessionPolicy(loginTimeout: .seconds(60)))
    _ = authenticating.at(10, .credentials())
    return [
      ("awaiting_credentials", SessionScript(try! SessionPolicy(loginTimeout: .seconds(60)))),
      ("authenticating", authenticating), ("active", SessionScript(loggedInUntil: 100)), ("refreshing", refreshing),
      ("verifying_refresh", judging), ("verifying_refresh", judgingAsked), ("draining", draining),
    ]
  }()

  @Test
  func `each ending ends a session in every open phase, with its own reason`() {
    let endings: [(SessionEvent, CloseReason)] = [
      (.disconnect(.disconnected), .disconnected), (.slowConsumer, .slowConsumer), (.peerSilent, .livenessTimeout),
    ]
    for (name, script) in Self.openPhases {
      #expect(script.session.phaseKind.name == name)
      for (event, reason) in endings {
        var script = script
        #expect(script.at(10, event) == [.close(reason)])
        #expect(script.session.phaseKind.name == "closing")
        #expect(script.at(11, .peerClosed) == [.record(.ended(reason))])
        #expect(script.session.isClosed && script.session.nextDeadline == nil)
      }
      for (event, reason) in [(SessionEvent.peerClosed, CloseReason.peerClosed), (.transportLost, .connectionLost)] {
        var script = script
        #expect(script.at(10, event) == [.record(.ended(reason))])
        #expect(script.session.isClosed)
      }
    }
  }

  @Test
  func `a peer that does not finish the closing handshake is dropped after the close timeout`() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(10, .disconnect(.normal))
    #expect(script.at(14, .wakeUp).isEmpty)
    #expect(script.at(15, .wakeUp) == [.abort, .record(.ended(.normal))])
    #expect(script.at(15, .transportLost).isEmpty)
  }

  @Test
  func `a session sends nothing after the close frame, whatever comes`() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(10, .credentials())
    _ = script.at(10, .disconnect(.normal))
    for event in [
      SessionEvent.credentials(), .join(), .received(.ping(request: nil)), .malformed(.malformedMessage),
      .accepted(2, .token(2, expiresAt: 200)), .wakeUp, .expireNow, .askForRefresh, .revoked, .disconnect(.goingAway),
      .drain(until: .zero), .slowConsumer, .peerSilent,
    ] {
      #expect(script.at(11, event).isEmpty)
    }
  }

  @Test
  func `a revoked token makes the session ask for another or end, by the policy, in every phase with a token`() throws {
    let closing = try SessionPolicy(revocation: .close)
    for order in [nil, SessionEvent.credentials(), .askForRefresh, .drain(until: .seconds(50))] {
      var script = SessionScript(loggedInUntil: 100, closing)
      if let order { _ = script.at(10, order) }
      #expect(script.at(20, .revoked) == [.close(.tokenRevoked)])
    }
    var script = SessionScript(loggedInUntil: 100)
    #expect(
      script.at(20, .revoked) == [
        .record(.refreshRequested(.revocation)), .send(.refreshRequired(.revocation, timeout: .seconds(60))),
      ])
    #expect(script.at(21, .revoked).isEmpty)
    _ = script.at(22, .credentials())
    #expect(script.at(22, .accepted(2, .token(1, expiresAt: 100))).first == .record(.refreshRefused(.tokenNotRenewed)))
    #expect(script.at(80, .wakeUp) == [.close(.refreshTimeout)])
  }

  @Test
  func `a drain tells the client, keeps serving it, accepts no more tokens, and closes in time`() {
    var script = SessionScript(loggedInUntil: 100)
    #expect(script.at(10, .drain(until: .seconds(40))) == [.send(.closing(.serviceRestart, delay: .seconds(30)))])
    #expect(script.at(20, .join()).count == 1)
    #expect(script.at(20, .received(.ping(request: nil))) == [.send(.pong(request: nil))])
    #expect(script.at(20, .credentials(request: "1")) == [.send(.error(.draining, request: RequestID("1")))])
    #expect(script.at(20, .drain(until: .seconds(50))).isEmpty)
    #expect(script.at(20, .askForRefresh).isEmpty)
    var sooner = script
    #expect(sooner.at(20, .drain(until: .seconds(30))) == [.send(.closing(.serviceRestart, delay: .seconds(10)))])
    #expect(sooner.at(30, .wakeUp) == [.close(.serviceRestart)])
    #expect(script.at(39, .wakeUp).isEmpty)
    #expect(script.at(40, .wakeUp) == [.close(.serviceRestart)])
  }

  @Test
  func `a drain never outlives the token by more than the timeout, nor a refresh request that waits`() {
    var late = SessionScript(loggedInUntil: 100)
    _ = late.at(10, .drain(until: .seconds(1_000)))
    #expect(late.session.nextDeadline == .seconds(160))
    var asked = SessionScript(loggedInUntil: 100)
    _ = asked.at(10, .askForRefresh)
    _ = asked.at(20, .drain(until: .seconds(1_000)))
    #expect(asked.session.nextDeadline == .seconds(70))
    var judging = SessionScript(loggedInUntil: 100)
    _ = judging.at(100, .wakeUp)
    _ = judging.at(110, .credentials())
    _ = judging.at(110, .drain(until: .seconds(1_000)))
    #expect(judging.session.nextDeadline == .seconds(160))
    #expect(judging.at(111, .accepted(2, .token(2, expiresAt: 5_000))).isEmpty)
    #expect(judging.at(111, .expireNow) == [.close(.serviceRestart)])
  }

  @Test
  func `a drain whose window has already passed tells and closes in one step`() {
    var script = SessionScript(loggedInUntil: 100)
    #expect(
      script.at(10, .drain(until: .seconds(5))) == [
        .send(.closing(.serviceRestart, delay: .zero)), .close(.serviceRestart),
      ])
  }

  @Test
  func `malformed messages are answered, and too many in a row end the session in every open phase`() {
    for (_, script) in Self.openPhases {
      var script = script
      for _ in 1..<script.session.policy.malformedMax {
        #expect(
          script.at(10, .malformed(.unknownType)) == [
            .record(.malformed(.unknownType)), .send(.error(.unknownType, request: nil)),
          ])
      }
      var patient = script
      #expect(script.at(10, .malformed(.unknownType)).last == .close(.tooManyFailures))
      #expect(patient.at(10, .received(.ping(request: nil))).count == 1)
      #expect(patient.at(10, .malformed(.unknownType)).count == 2)
      #expect(!patient.session.standing.isClosing)
    }
  }
}
