import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewayTokens
import TestSupport
import Testing

@Suite("Whatever a peer sends, the gateway that plays the plain dialect answers and lives")
struct PlainFuzzTests {
  @Test("every route answers every body, and never with an error of its own making")
  func bodies() throws { try Self.gateway().answersEveryBody() }

  @Test("every socket takes every message, and the next client gets in")
  func messages() throws { try Self.gateway().takesEveryMessage() }

  @Test("the client's side reads or leaves whatever a gateway or a provider says, and traps at none of it")
  func client() {
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
