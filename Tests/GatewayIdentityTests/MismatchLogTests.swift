import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayIdentity

/// The log lines of tokens whose issuer or audience is another.
@Suite(.timeLimit(.minutes(2)))
struct MismatchLogTests {
  private let logs = LogKeeper()
  private let space: IdentitySpace

  init() throws {
    space = try IdentitySpace(VirtualIssuer(), client: "chat", logs: logs)
    _ = space.begin()
  }

  private func token(_ claims: String) throws -> String {
    try space.issuer.sign("{\"user_id\":\"ann\",\"exp\":1890000000,\(claims)}", by: "k1", type: nil)
  }

  private func connect(_ token: String) -> SimulatedPeer {
    space.inner.dial(
      HTTPRequest(method: "GET", path: "/v1/connect", headers: [HTTPField("authorization", "Bearer \(token)")]))
  }

  @Test(arguments: [
    (
      #""iss":"https://else\n.example","aud":"realtime""#, "issuer_mismatch", VirtualIssuer.name,
      "https://else\n.example"
    ),
    (#""iss":"\#(VirtualIssuer.name)","aud":["b","c"]"#, "audience_mismatch", "realtime", "b,c"),
    (#""iss":"\#(VirtualIssuer.name)","aud":"","jti":"private""#, "audience_mismatch", "realtime", ""),
    (
      #""iss":"\#(VirtualIssuer.name)","aud":"\#(String(repeating: "é", count: 500))""#, "audience_mismatch",
      "realtime", String(repeating: "é", count: 98) + "…"
    ),
  ])
  func `a mismatch names both values in the log line, of at most 200 bytes, and neither in the answer`(
    claims: String, error: String, expected: String, presented: String
  ) throws {
    let bad = try token(claims)
    guard case .refused(let status)? = connect(bad).refusal else {
      Issue.record("it was let in")
      return
    }
    let ann = connect(try space.issuer.token("k1"))
    ann.say(#"{"type":"refresh","token":"\#(bad)"}"#)
    space.advance(.seconds(1))
    let lines = logs.all("upgrade_refused") + logs.all("refresh_refused")
    #expect(status == 401 && lines.count == 2)
    for line in lines {
      #expect(line["error"] == error && line["expected"] == expected && line["presented"] == presented)
      #expect(presented.utf8.count <= ClaimMismatch.bytesMax && !"\(line)".contains("private"))
    }
    let answer = try #require(ann.texts.last)
    #expect(answer.contains(bytesOf: error) && !answer.contains(bytesOf: "expected"))
    #expect(!answer.contains(bytesOf: expected) && (presented.isEmpty || !answer.contains(bytesOf: presented)))
  }

  @Test
  func `other refusals have no such fields, and a signal of another audience has them`() throws {
    _ = connect(try space.issuer.token("k1", life: -100_000_000))
    let line = try #require(logs.all("upgrade_refused").first)
    #expect(line["error"] == "token_expired" && line["expected"] == nil && line["presented"] == nil)
    let second = space.inner.world.wallTime.nanoseconds / 1_000_000_000
    let claims =
      "{\"iss\":\"\(VirtualIssuer.name)\",\"aud\":\"other\",\"iat\":\(second),\"exp\":\(second + 120),\"jti\":\"1\","
      + "\"events\":{\"\(SignalKind.logoutEvent)\":{}},\"sub\":\"ann\"}"
    let body = "logout_token=\(try space.issuer.sign(claims, by: "k1", type: "logout+jwt"))"
    let request = HTTPRequest(
      method: "POST", path: "/identity/logout",
      headers: [HTTPField("content-type", "application/x-www-form-urlencoded")], body: Array(body.utf8))
    _ = try #require(space.inner.fetch(request))
    let refused = try #require(logs.all("signal_refused").first)
    #expect(refused["expected"] == "chat" && refused["presented"] == "other", "\(refused)")
  }
}
