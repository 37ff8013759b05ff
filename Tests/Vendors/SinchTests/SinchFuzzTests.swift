import GatewayCore
import GatewayKit
import GatewayTokens
import TestSupport
import TestTraits
import Testing

@testable import GatewaySinch

struct SinchFuzzTests {
  @Test(.long)
  func `every route of this wire answers every body, and never with an internal error`() throws {
    try Self.gateway().answersEveryBody()
  }

  @Test(.long)
  func `every socket of this wire accepts every message, and the next client gets in`() throws {
    try Self.gateway().takesEveryMessage()
  }

  @Test(.long)
  func `the client of this wire reads or ignores whatever a gateway or a provider sends, without a trap`() {
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
