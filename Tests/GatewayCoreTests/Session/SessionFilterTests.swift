import GatewayCore
import TestSupport
import Testing

@Suite("Which sessions an order is for")
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

  @Test("everybody is meant by a filter that says nothing")
  func everybody() throws {
    #expect(takesIn(SessionFilter(), try ann()))
    #expect(SessionFilter().mayTakeIn(loop: 0) && SessionFilter().mayTakeIn(loop: 4095))
  }

  @Test("each thing that is said leaves out whom it does not fit, and nobody else")
  func eachAlone() throws {
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

  @Test("a token without an issue date was issued before any time")
  func undated() throws {
    #expect(takesIn(SessionFilter(issuedBefore: WallTime(seconds: 1)), try ann(issuedAt: nil)))
  }

  @Test("an anonymous user is left out where the order is for tokens alone")
  func anonymous() throws {
    let nobody = try grant(
      VerifiedToken(user: .anonymous, kind: .anonymous, fingerprint: .number(2), form: .none))
    #expect(takesIn(SessionFilter(), nobody))
    #expect(!takesIn(SessionFilter(takesAnonymous: false), nobody))
  }

  @Test("only the loops of connections that are named are asked")
  func loops() {
    let filter = SessionFilter(connections: [connection])
    #expect(filter.mayTakeIn(loop: 1) && !filter.mayTakeIn(loop: 0))
  }
}
