import Testing

@testable import GatewayFleet

struct TokenFateTests {
  @Test(arguments: [
    "http_401", "http_403", "1008", "4001 token_invalid", "4401", "key_unknown", "signature_invalid", "token_expired",
    "not_authorized", "http_401 unauthorized",
  ])
  func `the gateway's judgement of a token is a refusal`(reason: String) {
    #expect(ClientRecord.connectFailed(reason).tokenFate == .refused)
    #expect(ClientRecord.refreshRefused(reason).tokenFate == .refused)
    #expect(ClientRecord.lost(reason, isExpected: false, timedOut: false).tokenFate == .refused)
  }

  @Test(arguments: [
    "http_503", "http_429", "http_404", "1006 connection_lost", "1011", "1013", "timed_out", "unreachable", "silence",
    "tls_handshake_failed", "identity_unavailable", "store_unavailable", "overloaded", "provider_busy_503",
    "client_returns",
  ])
  func `a gateway that is away, busy or cannot judge has refused nothing`(reason: String) {
    #expect(ClientRecord.connectFailed(reason).tokenFate == .unjudged)
    #expect(ClientRecord.returnFailed(reason).tokenFate == .unjudged)
  }

  @Test
  func `a connection that ended for want of time is no refusal, and an accepted token is none`() {
    #expect(
      ClientRecord.lost("4000 refresh_timeout", isExpected: false, timedOut: true).tokenFate == .unjudged)
    #expect(ClientRecord.connected(after: .zero, again: false).tokenFate == .accepted)
    #expect(ClientRecord.refreshed(after: .zero, number: 1).tokenFate == .accepted)
    #expect(ClientRecord.asked.tokenFate == nil)
  }
}
