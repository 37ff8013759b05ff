import GatewayCore
import GatewayJSON
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamFaultTests {
  let stream: SimulatedStream

  init() throws {
    stream = try SimulatedStream(takesFaults: true)
  }

  private func users(_ token: String) -> (status: Int, code: Int64?) {
    guard let answer = stream.fetch("GET", "/video/users", token: token) else { return (0, nil) }
    return (answer.status, (try? JSONDocument.parse(answer.body).root["code"]?.integer) ?? nil)
  }

  private func code(of peer: SimulatedPeer) -> Bool { peer.texts.contains { $0.contains(#""code":43"#) } }

  @Test
  func `a token that is refused with 43 at the socket is refused with 43 over REST`() throws {
    let token = stream.token()
    #expect(users(token).status == 200)
    try stream.space.fail(#"{"fault": "refuse_token", "error": "signature_invalid", "of": "login"}"#)
    #expect(code(of: stream.connect(token, as: "ann", on: .video)))
    #expect(users(token) == (401, 43))
    // A server's token belongs to no session.
    #expect(users(stream.serverToken).status == 200)
  }

  @Test
  func `a token that an operator expires is refused over REST with 40, not as a revoked one`() throws {
    let token = stream.token()
    _ = stream.connect(token, as: "ann", on: .video)
    _ = stream.space.order { try? await $0.control(UserID("ann"), .expireNow) }
    #expect(users(token) == (401, 40))
  }
}
