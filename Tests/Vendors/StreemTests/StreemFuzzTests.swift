import GatewayCore
import GatewayKit
import GatewayTokens
import TestSupport
import TestTraits
import Testing

@testable import GatewayStreem

struct StreemFuzzTests {
  enum Side: String, CaseIterable { case gateway, control }

  @Test(.long, arguments: Side.allCases)
  func `every route of this wire answers every body, and never with an internal error`(side: Side) throws {
    try Self.gateway(side).answersEveryBody()
  }

  @Test(.long)
  func `every socket of this wire accepts every message, and the next client gets in`() throws {
    try Self.gateway(.gateway).takesEveryMessage()
  }

  @Test(.long)
  func `the client of this wire reads or ignores whatever a gateway or a provider sends, without a trap`() {
    let client = FuzzedClient(StreemClientDialect(), corpus: FuzzCorpus(folder: "Streem", tests: ["Streem", "openid"]))
    #expect(client.heard() > 20)
  }

  private static func gateway(_ side: Side) throws -> FuzzedGateway {
    let streem = try SimulatedStreem(FuzzedGateway.patient)
    let server = Base64.encode(Array(streem.forge.basic.utf8))
    // Its HTTP operations require the user to be connected.
    _ = streem.identify(streem.token())
    return FuzzedGateway(
      streem.space, corpus: FuzzCorpus(folder: "Streem", tests: ["Streem", "openid"]), control: side == .control,
      names: ["postern", "ann", streem.forge.id.text],
      callers: [
        (FuzzedGateway.bearer(streem.token("ann").token), []), ([HTTPField("authorization", "Basic \(server)")], []),
        ([], []),
      ],
      upgrade: HTTPRequest(method: "GET", path: StreemDialect.path)
    ) { streem.identify(streem.token()) }
  }
}
