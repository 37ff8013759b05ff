import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewayTokens
import TestSupport
import TestTraits
import Testing

@testable import GatewayPlain

struct PlainFuzzTests {
  @Test
  func `every route of the plain dialect answers every body, and never with an internal error`() throws {
    try Self.gateway().answersEveryBody()
  }

  @Test
  func `every socket of the plain dialect accepts every message, and the next client gets in`() throws {
    try Self.gateway().takesEveryMessage()
  }

  @Test(.long)
  func `the plain client reads or ignores whatever a gateway or a provider sends, without a trap`() {
    let client = FuzzedClient(PlainClientDialect(), corpus: FuzzCorpus(folder: "Plain", tests: ["Plain", "Gateway/"]))
    #expect(client.heard() > 20)
  }

  private static func gateway() throws -> FuzzedGateway {
    let plain = try SimulatedGateway(
      GatewayConfiguration(session: FuzzedGateway.patient, pingInterval: nil), keepsTrace: false)
    return FuzzedGateway(
      plain.space, corpus: FuzzCorpus(folder: "Plain", tests: ["Plain", "Gateway/"]),
      names: ["default", "standup", "ann"],
      callers: [
        (FuzzedGateway.bearer(plain.token("ann", life: nil).token), []),
        (FuzzedGateway.bearer(plain.token("zoe", .guest, life: nil).token), []), ([], []),
      ],
      upgrade: HTTPRequest(method: "GET", path: plain.dialect.upgradeTarget), parameters: ["access_token"]
    ) { plain.connect(plain.token("ann")) }
  }
}
