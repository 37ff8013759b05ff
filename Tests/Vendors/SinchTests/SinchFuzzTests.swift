import GatewayCore
import GatewayKit
import GatewaySinch
import GatewayTokens
import TestSupport
import Testing

@Suite("Whatever a peer sends, the gateway that plays Sinch answers and lives")
struct SinchFuzzTests {
  @Test("every route answers every body, and never with an error of its own making")
  func bodies() throws { try Self.gateway().answersEveryBody() }

  @Test("every socket takes every message, and the next client gets in")
  func messages() throws { try Self.gateway().takesEveryMessage() }

  @Test("the client's side reads or leaves whatever a gateway or a provider says, and traps at none of it")
  func client() {
    let client = FuzzedClient(SinchClientDialect(), corpus: FuzzCorpus(folder: "Sinch", tests: ["Sinch"]))
    #expect(client.heard() > 20)
  }

  private static func gateway() throws -> FuzzedGateway {
    let sinch = SimulatedSinch(try FuzzedGateway.patient)
    return FuzzedGateway(
      sinch.space, corpus: FuzzCorpus(folder: "Sinch", tests: ["Sinch"]), names: ["app", "alice", "d1"],
      callers: [
        (FuzzedGateway.bearer(sinch.token("alice")), []), ([HTTPField("authorization", "instance a:b")], []), ([], []),
      ],
      upgrade: HTTPRequest(method: "GET", path: SinchDialect.path)
    ) { sinch.started().peer }
  }
}
