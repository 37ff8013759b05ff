import GatewayCore
import GatewayKit
import GatewayTokens
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

struct SendbirdFuzzTests {
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
    let client = FuzzedClient(
      SendbirdClientDialect(applicationID: "APP"),
      corpus: FuzzCorpus(folder: "Sendbird", tests: ["Sendbird", "sendbird"]))
    #expect(client.heard() > 20)
  }

  private static func gateway() throws -> FuzzedGateway {
    let sendbird = try SimulatedSendbird(policy: FuzzedGateway.patient)
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)","nickname":"x"}"#) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"lobby"}"#)
    let key = sendbird.connect(["user_id": "ann"]).sessionKey
    return FuzzedGateway(
      sendbird.space, corpus: FuzzCorpus(folder: "Sendbird", tests: ["Sendbird", "sendbird"]),
      names: ["ann", "bob", "talk", "lobby", "1"],
      callers: [
        ([HTTPField("api-token", SimulatedSendbird.apiToken)], []), ([HTTPField("session-key", key)], []), ([], []),
      ],
      upgrade: HTTPRequest(method: "GET", path: "/", query: [HTTPField("ai", "APP")]),
      parameters: ["user_id", "access_token", "ai", "p", "pv", "key"]
    ) { sendbird.connect(["user_id": "ann"]) }
  }
}
