import GatewayCore
import Testing

struct SessionPolicyTests {
  @Test
  func `documented refresh timeouts are 60 to 1800 s, and others need the explicit switch`() throws {
    for seconds in [60, 61, 1_800] {
      #expect(try SessionPolicy(refreshTimeout: .seconds(seconds)).refreshTimeout == .seconds(seconds))
    }
    for timeout in [Duration.seconds(59), .seconds(60) - .nanoseconds(1), .seconds(1_800) + .nanoseconds(1)] {
      #expect(throws: SessionPolicyError.self) { try SessionPolicy(refreshTimeout: timeout) }
      #expect(try SessionPolicy(refreshTimeout: timeout, anyRefreshTimeout: true).refreshTimeout == timeout)
    }
    #expect(throws: SessionPolicyError.self) {
      try SessionPolicy(refreshTimeout: .nanoseconds(-1), anyRefreshTimeout: true)
    }
  }

  @Test
  func `the default refresh timeout is 60 s, and no more is refused than is documented`() throws {
    let policy = try SessionPolicy()
    #expect(policy.refreshTimeout == .seconds(60))
    #expect(policy.revocation == .refresh)
  }

  @Test
  func `an impossible session policy is refused, and the error names the wrong value`() {
    func expectRefusal(naming name: String, _ make: () throws(SessionPolicyError) -> SessionPolicy) {
      let error = #expect(throws: SessionPolicyError.self) { _ = try make() }
      #expect(error?.description.contains(name) == true)
    }
    expectRefusal(naming: "login") { () throws(SessionPolicyError) in try SessionPolicy(loginTimeout: .zero) }
    expectRefusal(naming: "lead") { () throws(SessionPolicyError) in try SessionPolicy(refreshLead: .seconds(-1)) }
    expectRefusal(naming: "spread") { () throws(SessionPolicyError) in try SessionPolicy(refreshSpread: .seconds(-1)) }
    expectRefusal(naming: "refused client") { () throws(SessionPolicyError) in
      try SessionPolicy(refusalLinger: .seconds(-1))
    }
    expectRefusal(naming: "close") { () throws(SessionPolicyError) in try SessionPolicy(closeTimeout: .zero) }
    expectRefusal(naming: "refused") { () throws(SessionPolicyError) in try SessionPolicy(refusedRefreshesMax: 0) }
    expectRefusal(naming: "malformed") { () throws(SessionPolicyError) in try SessionPolicy(malformedMax: 0) }
  }
}
