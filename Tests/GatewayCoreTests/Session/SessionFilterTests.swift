import GatewayCore
import TestSupport
import Testing

struct SessionFilterTests {
  private let connection = ConnectionID(loop: 1, serial: 7)

  /// Returns the grant of a session that is logged in with `token`.
  private func grant(_ token: VerifiedToken) throws -> Grant {
    let start = WallTime(seconds: 1_000)
    var script = SessionScript(try SessionPolicy().admittingAnonymous)
    _ = script.at(0, .credentials())
    _ = script.at(0, .accepted(1, Acceptance(token, now: .zero, wallNow: start, spreadShare: 0)))
    return try #require(script.session.grant)
  }

  private func ann(issuedAt: WallTime? = WallTime(seconds: 900)) throws -> Grant {
    try grant(
      VerifiedToken(
        user: UserID("ann"), kind: .regular, fingerprint: .number(1), issuedAt: issuedAt, form: .jwt,
        issuer: Name("key")))
  }

  private func takesIn(_ filter: SessionFilter, _ grant: Grant, speaking dialect: String = "plain") -> Bool {
    filter.takesIn(connection, speaking: dialect, by: grant)
  }

  @Test
  func `an empty session filter matches all sessions`() throws {
    #expect(takesIn(SessionFilter(), try ann()))
    #expect(SessionFilter().mayTakeIn(loop: 0) && SessionFilter().mayTakeIn(loop: 4095))
  }

  @Test
  func `each criterion of a session filter leaves out the sessions it does not match, and no other`() throws {
    let ann = try ann()
    let fitting = [
      SessionFilter(user: UserID("ann")), SessionFilter(dialects: ["plain", "other"]),
      SessionFilter(connections: [connection]), SessionFilter(except: ConnectionID(loop: 1, serial: 8)),
      SessionFilter(issuer: Name("key")), SessionFilter(fingerprint: .number(1)), SessionFilter(form: .jwt),
      SessionFilter(issuedBefore: WallTime(seconds: 901)), SessionFilter(takesAnonymous: false),
    ]
    let others = [
      SessionFilter(user: UserID("bob")), SessionFilter(dialects: ["other"]), SessionFilter(dialects: []),
      SessionFilter(connections: [ConnectionID(loop: 2, serial: 7)]), SessionFilter(connections: []),
      SessionFilter(except: connection), SessionFilter(issuer: Name("another")),
      SessionFilter(fingerprint: .number(2)), SessionFilter(form: .opaque),
      SessionFilter(issuedBefore: WallTime(seconds: 900)),
    ]
    for filter in fitting { #expect(takesIn(filter, ann), "\(filter)") }
    for filter in others { #expect(!takesIn(filter, ann), "\(filter)") }
  }

  @Test
  func `a token without an issue date was issued before any time`() throws {
    #expect(takesIn(SessionFilter(issuedBefore: WallTime(seconds: 1)), try ann(issuedAt: nil)))
  }

  @Test
  func `a filter for tokens leaves out anonymous users`() throws {
    let nobody = try grant(
      VerifiedToken(user: .anonymous, kind: .anonymous, fingerprint: .number(2), form: .none))
    #expect(takesIn(SessionFilter(), nobody))
    #expect(!takesIn(SessionFilter(takesAnonymous: false), nobody))
  }

  @Test
  func `a filter with connections asks only the loops that they name`() {
    let filter = SessionFilter(connections: [connection])
    #expect(filter.mayTakeIn(loop: 1) && !filter.mayTakeIn(loop: 0))
  }
}
