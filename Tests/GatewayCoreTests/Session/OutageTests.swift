import GatewayCore
import TestSupport
import Testing

/// Refreshes while tokens cannot be judged.
struct OutageTests {
  private static let request = SessionEffect.send(.refreshRequired(.expiry, timeout: .seconds(60)))

  /// Returns a session whose token expired at 100 s and which has been asked for another.
  private static func asked(_ policy: SessionPolicy? = nil) throws -> SessionScript {
    var script = SessionScript(loggedInUntil: 100, try policy ?? SessionPolicy())
    _ = script.at(100, .wakeUp)
    return script
  }

  @Test(arguments: [GatewayError.storeUnavailable, .identityUnavailable])
  func `a token that cannot be verified is not refused, and the timeout starts again`(error: GatewayError) throws {
    var script = try Self.asked(SessionPolicy(refusedRefreshesMax: 1))
    _ = script.at(150, .credentials(request: "r"))
    #expect(
      script.at(152, .refused(2, error)) == [
        .record(.refreshRefused(error)), .send(.error(error, request: RequestID("r"))),
      ])
    #expect(script.session.nextDeadline == .seconds(212))
    _ = script.at(211, .credentials())
    #expect(script.at(211, .accepted(3, .token(2, expiresAt: 300))).count == 2)
    #expect(script.session.phaseKind.name == "active")
  }

  @Test
  func `a client that tries every minute stays for an hour of outage and not longer`() throws {
    var script = try Self.asked()
    var attempt: UInt32 = 1
    var second: Int64 = 100
    while !script.session.standing.isClosing, second < 10_000 {
      second += 59
      let effects = script.at(.seconds(second), .credentials())
      if effects == [.close(.refreshTimeout)] { break }
      attempt += 1
      #expect(effects == [.verify(attempt: attempt, Credentials(token: "token"))])
      _ = script.at(.seconds(second), .refused(attempt, .identityUnavailable))
    }
    #expect((3_700..<3_760).contains(second), "ended at \(second) s")
  }

  @Test
  func `a client that does not try again by itself is asked again once, and then closed`() throws {
    var script = try Self.asked()
    _ = script.at(110, .credentials())
    _ = script.at(110, .refused(2, .identityUnavailable))
    #expect(script.at(169, .wakeUp).isEmpty)
    #expect(script.at(170, .wakeUp) == [.record(.refreshRequested(.expiry)), Self.request])
    #expect(script.at(229, .wakeUp).isEmpty)
    #expect(script.at(230, .wakeUp) == [.close(.refreshTimeout)])
  }

  @Test
  func `a client that answers each request stays for an hour of outage`() throws {
    var script = try Self.asked()
    for minute in 1...59 as ClosedRange<Int64> {
      let now = 100 + (minute - 1) * 60
      _ = script.at(.seconds(now), .credentials())
      _ = script.at(.seconds(now), .refused(UInt32(minute + 1), .identityUnavailable))
      #expect(script.at(.seconds(now + 60), .wakeUp).last == Self.request, "minute \(minute)")
    }
    #expect(script.session.phaseKind.name == "refreshing")
  }

  @Test
  func `a token that is refused after an outage does not extend the timeout`() throws {
    var script = try Self.asked()
    _ = script.at(110, .credentials())
    _ = script.at(110, .refused(2, .identityUnavailable))
    _ = script.at(120, .credentials())
    _ = script.at(120, .refused(3, .signatureInvalid))
    #expect(script.at(169, .wakeUp).isEmpty)
    #expect(script.at(170, .wakeUp) == [.close(.refreshTimeout)])
  }

  @Test
  func `an outage does not extend the time of a token that is revoked before or during it`() throws {
    var script = SessionScript(loggedInUntil: 1_000)
    _ = script.at(100, .revoked)
    _ = script.at(150, .credentials())
    _ = script.at(150, .refused(2, .identityUnavailable))
    #expect(script.at(160, .wakeUp) == [.close(.refreshTimeout)])

    script = try Self.asked()
    _ = script.at(110, .credentials())
    _ = script.at(110, .refused(2, .identityUnavailable))
    #expect(script.at(120, .revoked).isEmpty)
    #expect(script.session.askedFor == .revocation)
    _ = script.at(130, .credentials())
    _ = script.at(130, .refused(3, .identityUnavailable))
    #expect(script.at(170, .wakeUp) == [.close(.refreshTimeout)])
  }

  @Test
  func `a timeout that passes while the next token is verified is extended once, without a message`() throws {
    var script = try Self.asked()
    _ = script.at(110, .credentials())
    _ = script.at(110, .refused(2, .identityUnavailable))
    _ = script.at(169, .credentials())
    #expect(script.at(170, .wakeUp).isEmpty)
    #expect(script.at(230, .wakeUp) == [.close(.refreshTimeout)])
  }

  @Test
  func `a token that cannot be verified before the gateway asks for one changes nothing`() {
    var script = SessionScript(loggedInUntil: 100)
    _ = script.at(50, .credentials())
    #expect(script.at(50, .refused(2, .identityUnavailable)).count == 2)
    #expect(script.at(100, .wakeUp).count == 2)
    #expect(script.at(160, .wakeUp) == [.close(.refreshTimeout)])
  }

  @Test
  func `a login that cannot be verified is closed with 1013, and not as a refusal`() {
    var script = SessionScript()
    _ = script.at(1, .credentials())
    let effects = script.at(1, .refused(1, .identityUnavailable))
    #expect(effects.last == .close(.overloaded))
  }

  @Test
  func `an error that closes ends a login and a session for its own reason, however many refusals are left`() throws {
    let reason = try #require(CloseReason(code: 4567, name: "banned"))
    let error = GatewayError.applicationRefused.detailed("no seat").followed(by: .close(reason))
    var script = try Self.asked()
    _ = script.at(110, .credentials(request: "r"))
    #expect(
      script.at(110, .refused(2, error)) == [
        .record(.refreshRefused(error)), .send(.error(error, request: RequestID("r"))), .close(reason),
      ])
    var early = SessionScript(loggedInUntil: 100, try SessionPolicy())
    _ = early.at(10, .credentials())
    #expect(early.at(10, .refused(2, error)).last == .close(reason))
  }

  @Test
  func `an error that asks has the client asked at once, and once`() throws {
    let error = GatewayError.tokenExpired.followed(by: .ask)
    var script = SessionScript(loggedInUntil: 100, try SessionPolicy())
    _ = script.at(10, .credentials())
    #expect(
      script.at(10, .refused(2, error)).suffix(2) == [
        .record(.refreshRequested(.request)), .send(.refreshRequired(.request, timeout: .seconds(60))),
      ])
    _ = script.at(20, .credentials())
    #expect(script.at(20, .refused(3, error)).count == 2)
    #expect(script.at(70, .wakeUp) == [.close(.refreshTimeout)])
  }
}
