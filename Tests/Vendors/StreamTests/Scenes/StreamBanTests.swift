import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamBanTests {
  private let stream: SimulatedStream

  init() throws {
    stream = try SimulatedStream()
  }

  private func ask(
    _ method: String, _ path: String, token: String, query: [HTTPField] = [], _ body: String = ""
  ) -> (status: Int, body: JSONView?) {
    let response = stream.fetch(method, path, token: token, query: query, body: body)
    return (response?.status ?? 0, response.flatMap { try? JSONDocument.parse($0.body).root })
  }

  private func code(_ method: String, _ path: String, token: String, _ body: String = "") -> [Int] {
    let answer = ask(method, path, token: token, body)
    return [answer.status, Int(answer.body?["code"]?.integer ?? 0)]
  }

  @Test(arguments: ["", "/video", "/api/v2"])
  func `a ban keeps a user out of calls, until it expires or is removed`(family: String) {
    let server = stream.serverToken
    let both = #"{"users":{"ann":{"id":"ann"},"bob":{"id":"bob"}}}"#
    #expect(code("POST", "/users", token: server, both) == [201, 0])
    let call = "/video/call/default/standup"
    #expect(code("POST", call, token: server, #"{"data":{"created_by_id":"bob"}}"#) == [201, 0])
    func banned() -> Bool? {
      let payload = HTTPField("payload", #"{"filter_conditions":{"id":"ann"}}"#)
      return ask("GET", "/users", token: server, query: [payload]).body?["users"]?.elements?.first?["banned"]?.bool
    }
    let ban = #"{"target_user_id":"ann","banned_by_id":"bob","reason":"r","timeout":30}"#
    #expect(code("POST", "\(family)/moderation/ban", token: server, ban) == [201, 0])
    #expect(banned() == true)
    let client = stream.connect(stream.token())
    #expect(client.isOpen && client.texts.first?.contains(#""banned":true"#) == true)
    let join = #"{"location":"FRA"}"#
    func codes() -> [[Int]] {
      [("", "{}"), ("/join", join), ("/ring", "{}"), ("new", "{}")].map { path, body in
        let path = path == "new" ? "/video/call/default/new" : call + path
        return code("POST", path, token: stream.token(), body)
      }
    }
    #expect(codes() == Array(repeating: [403, 17], count: 4))
    #expect(code("GET", "/app", token: stream.token()) == [200, 0])
    stream.world.advance(by: .seconds(1_801))
    #expect(code("POST", call + "/join", token: stream.token(), join) == [201, 0])
    #expect(banned() == false)
    #expect(stream.connect(stream.token()).texts.first?.contains(#""banned":false"#) == true)
    let forGood = #"{"target_user_id":"ann","banned_by":{"id":"bob"}}"#
    #expect(code("POST", "\(family)/moderation/ban", token: server, forGood) == [201, 0])
    stream.world.advance(by: .seconds(3_600_000))
    #expect(code("POST", call + "/join", token: stream.token(), join) == [403, 17])
    for (method, path) in [("POST", "unban"), ("DELETE", "ban")] {
      let query = [HTTPField("target_user_id", "ann")]
      let answer = ask(method, "\(family)/moderation/\(path)", token: server, query: query, "")
      #expect(answer.status == (method == "POST" ? 201 : 200))
    }
    #expect(code("POST", call + "/join", token: stream.token(), join) == [201, 0])
    #expect(banned() == false)
  }

  @Test
  func `a ban of an unknown user, for no time, from a channel, or at a user's wish is refused`() {
    let path = "/api/v2/moderation/ban"
    #expect(code("POST", "/users", token: stream.serverToken, #"{"users":{"ann":{"id":"ann"}}}"#) == [201, 0])
    for (body, expected) in [
      ("{}", [400, 4]), (#"{"target_user_id":7}"#, [400, 4]), (#"{"target_user_id":"nobody"}"#, [404, 16]),
      (#"{"target_user_id":"ann","timeout":0}"#, [400, 4]), (#"{"target_user_id":"ann","timeout":1e300}"#, [400, 4]),
      (#"{"target_user_id":"ann","timeout":9223372036854775807}"#, [400, 4]),
      (#"{"target_user_id":"ann","channel_cid":"messaging:a"}"#, [404, 16]),
      (#"{"target_user_id":"ann","banned_by_id":"a b"}"#, [400, 4]),
      (#"{"target_user_id":"ann","shadow":1}"#, [400, 4]),
      (#"{"target_user_id":"nobody","shadow":true}"#, [404, 16]),
      (#"{"target_user_id":"ann","shadow":true}"#, [201, 0]),
    ] { #expect(code("POST", path, token: stream.serverToken, body) == expected, "\(body)") }
    #expect(code("POST", path, token: stream.token("bob"), #"{"target_user_id":"ann"}"#) == [403, 17])
    #expect(code("POST", "/api/v2/moderation/unban", token: stream.serverToken, "{}") == [400, 4])
    let gone = [HTTPField("target_user_id", "nobody")]
    #expect(ask("POST", "/moderation/unban", token: stream.serverToken, query: gone, "").status == 404)
    let join = #"{"location":"FRA","data":{}}"#
    #expect(code("POST", "/video/call/default/a/join", token: stream.token(), join)[0] != 403)
  }
}
