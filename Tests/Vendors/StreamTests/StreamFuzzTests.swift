import GatewayCore
import GatewayKit
import GatewaySpace
import GatewayTokens
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

struct StreamFuzzTests {
  enum Side: String, CaseIterable { case video, chat, sfu }

  @Test(.long, arguments: Side.allCases)
  func `every route of this wire answers every body, and never with an internal error`(side: Side) throws {
    try Self.gateway(side).answersEveryBody()
  }

  @Test(.long, arguments: Side.allCases)
  func `every socket of this wire accepts every message, and the next client gets in`(side: Side) throws {
    try Self.gateway(side).takesEveryMessage()
  }

  @Test(.long)
  func `the client of this wire reads or ignores whatever a gateway or a provider sends, without a trap`() {
    let client = FuzzedClient(
      StreamVideoClientDialect(.javascript, apiKey: SimulatedStream.key),
      corpus: FuzzCorpus(folder: "Stream", tests: ["Stream"]))
    #expect(client.heard() > 20)
  }

  private static func gateway(_ side: Side) throws -> FuzzedGateway {
    let stream = try SimulatedStream(session: FuzzedGateway.patient)
    return switch side {
    case .video: coordinator(of: stream, .video)
    case .chat: coordinator(of: stream, .chat)
    case .sfu: sfu(of: stream)
    }
  }

  private static func coordinator(of stream: SimulatedStream, _ kind: StreamDialect.Kind) -> FuzzedGateway {
    func fields(_ token: String) -> [HTTPField] {
      [HTTPField("authorization", token), HTTPField("stream-auth-type", "jwt")]
    }
    let key = HTTPField("api_key", SimulatedStream.key)
    for user in ["ann", "bob"] {
      _ = stream.fetch(
        "POST", "/api/v2/users", token: stream.serverToken, body: #"{"users":{"\#(user)":{"id":"\#(user)"}}}"#)
    }
    _ = stream.fetch("POST", "/video/call/default/c1", token: stream.token("ann", life: nil), body: "{}")
    return FuzzedGateway(
      stream.space, corpus: FuzzCorpus(folder: "Stream", tests: ["Stream"]),
      names: ["default", "c1", "ann", "bob", "livestream"],
      callers: [
        (fields(stream.token("ann", life: nil)), [key]), (fields(stream.serverToken), [key]),
        ([HTTPField("stream-auth-type", "anonymous")], [key]), ([], []),
      ],
      upgrade: HTTPRequest(method: "GET", path: kind.path, query: [key]),
      parameters: ["json", "user_id", "authorization", "stream-auth-type"]
    ) { stream.connect(stream.token("ann"), on: kind) }
  }

  private static func sfu(of stream: SimulatedStream) -> FuzzedGateway {
    let token = stream.join("ann").flatMap(SimulatedStream.credentials) ?? ""
    return FuzzedGateway(
      stream.space, corpus: FuzzCorpus(folder: "Stream/SFU", tests: ["SFU"]),
      routes: stream.space.space.routes.filter { $0.pattern.hasPrefix(StreamSFUDialect.folder) }, names: ["ann", "a"],
      callers: [(FuzzedGateway.bearer(token), []), ([HTTPField("authorization", token)], []), ([], [])],
      upgrade: HTTPRequest(method: "GET", path: StreamSFUDialect.socketPath)
    ) { stream.enter("ann", session: "a", credentials: token, details: #"{"strategy":2}"#) }
  }
}
