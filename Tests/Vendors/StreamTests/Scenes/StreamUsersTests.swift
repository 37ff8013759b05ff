import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamUsersTests {
  private let stream: SimulatedStream

  init() throws {
    stream = try SimulatedStream()
  }

  private func ask(
    _ method: String, _ path: String, token: String? = nil, query: [HTTPField] = [], _ body: String = "",
    headers: [HTTPField]? = nil, key: String? = SimulatedStream.key
  ) throws -> (status: Int, body: JSONView, response: HTTPResponse) {
    let response = try #require(
      stream.fetch(method, path, token: token, query: query, body: body, headers: headers, key: key))
    let root = try JSONDocument.parse(response.body).root
    #expect(response.header("content-type") == "application/json")
    #expect(root["duration"]?.string?.hasSuffix("ms") == true)
    if response.status >= 400 {
      #expect(root["StatusCode"]?.integer == Int64(response.status))
      for name in ["code", "message", "more_info", "details"] { #expect(root[member: name] != nil) }
    }
    return (response.status, root, response)
  }

  private func code(_ method: String, _ path: String, token: String? = nil, _ body: String = "") throws -> [Int] {
    let answer = try ask(method, path, token: token, body)
    return [answer.status, Int(answer.body["code"]?.integer ?? 0)]
  }

  @Test(arguments: ["", "/video", "/api/v2"])
  func `REST makes, replaces, changes and finds users, in every family`(family: String) throws {
    let token = stream.serverToken
    let isChat = family.isEmpty
    let custom = isChat ? #""color":"red","size":3"# : #""custom":{"color":"red","size":3}"#
    let made = try ask(
      "POST", "\(family)/users", token: token,
      #"{"users":{"ann":{"id":"ann","name":"Ann","role":"admin",\#(custom)},"bob":{"id":"bob"}}}"#)
    #expect(made.status == 201)
    let ann = try #require(made.body["users"]?["ann"])
    #expect(ann["name"]?.string == "Ann" && ann["role"]?.string == "admin")
    #expect((isChat ? ann["color"] : ann["custom"]?["color"])?.string == "red")
    #expect(family == "/api/v2" ? ann["created_at"]?.integer != nil : ann["created_at"]?.string != nil)
    let changed = try ask(
      "PATCH", "\(family)/users", token: token,
      #"{"users":[{"id":"ann","set":{"color":"blue","image":"i.png"},"unset":["size","name"]}]}"#)
    #expect(changed.status == 200)
    let now = try #require(changed.body["users"]?["ann"])
    #expect((isChat ? now["color"] : now["custom"]?["color"])?.string == "blue")
    #expect((isChat ? now["size"] : now["custom"]?["size"]) == nil && now["name"] == nil && now["image"] != nil)
    let payload = HTTPField("payload", #"{"filter_conditions":{"role":{"$eq":"admin"}},"limit":5}"#)
    let found = try ask("GET", "\(family)/users", token: token, query: [payload])
    #expect(found.body["users"]?.elements?.compactMap { $0["id"]?.string } == ["ann"])
    let replaced = try ask("POST", "\(family)/users", token: token, #"{"users":{"ann":{"id":"ann"}}}"#)
    #expect(replaced.body["users"]?["ann"]?["image"] == nil)
    #expect(replaced.body["users"]?["ann"]?["role"]?.string == "admin")
  }

  @Test(arguments: [
    ("", "cleo,dora,zoe", 0), (#""sort":[{"field":"id","direction":-1}]"#, "zoe,dora,cleo", 0),
    (#""sort":[{"field":"name"}]"#, "zoe,cleo,dora", 0),
    (#""sort":[{"field":"seat","direction":-1}]"#, "dora,zoe,cleo", 0),
    (#""sort":[{"field":"role","direction":1}],"offset":1,"limit":1"#, "dora", 0),
    (#""sort":[{"field":"id","direction":2}]"#, "", 4), (#""sort":{"id":1}"#, "", 4),
  ])
  func `users are listed in the order asked for`(sort: String, expected: String, code: Int) throws {
    let users = [
      #""cleo":{"id":"cleo","name":"B"}"#, #""zoe":{"id":"zoe","name":"A","custom":{"seat":2}}"#,
      #""dora":{"id":"dora","custom":{"seat":10}}"#,
    ].joined(separator: ",")
    _ = try ask("POST", "/api/v2/users", token: stream.serverToken, #"{"users":{\#(users)}}"#)
    let ids = #""filter_conditions":{"id":{"$in":["cleo","dora","zoe"]}}"#
    let payload = HTTPField("payload", sort.isEmpty ? "{\(ids)}" : "{\(ids),\(sort)}")
    for family in ["", "/api/v2"] {
      let found = try ask("GET", "\(family)/users", token: stream.serverToken, query: [payload])
      #expect(found.body["code"]?.integer ?? 0 == code)
      let names = found.body["users"]?.elements?.compactMap { $0["id"]?.string } ?? []
      #expect(names.joined(separator: ",") == expected)
    }
  }

  @Test(arguments: ["", "/api/v2"])
  func `a user that one request changes twice is in the answer once, with the last change`(family: String) throws {
    _ = try ask("POST", "\(family)/users", token: stream.serverToken, #"{"users":{"ann":{"id":"ann"}}}"#)
    let changed = try ask(
      "PATCH", "\(family)/users", token: stream.serverToken,
      #"{"users":[{"id":"ann","set":{"name":"A"}},{"id":"ann","set":{"name":"B"}}]}"#)
    #expect(changed.body["users"]?.members?.map(\.value[member: "name"]?.string) == ["B"])
  }

  @Test
  func `users change themselves, and no other user or their own role`() throws {
    let token = stream.token()
    #expect(try code("POST", "/users", token: token, #"{"users":{"ann":{"id":"ann","role":"admin"}}}"#) == [201, 0])
    #expect(try ask("GET", "/users", token: token).body["users"]?.elements?[0]["role"]?.string == "user")
    #expect(try code("POST", "/users", token: token, #"{"users":{"bob":{"id":"bob"}}}"#) == [403, 17])
    let revoke = #"{"users":[{"id":"ann","set":{"revoke_tokens_issued_before":null}}]}"#
    #expect(try code("PATCH", "/users", token: token, revoke) == [403, 17])
    #expect(try code("PATCH", "/app", token: token, "{}") == [403, 17])
    #expect(try code("POST", "/users/ann/deactivate", token: token) == [403, 17])
  }

  @Test
  func `a user's tokens are revoked, and restored by null or unset, the application's likewise`() throws {
    let token = stream.token()
    let undated = stream.token(claims: #"{"user_id":"ann"}"#)
    #expect(try code("GET", "/app", token: token) == [200, 0])
    stream.world.advance(by: .seconds(5))
    let limit = StreamDates.text(stream.world.wallTime)
    let set = #"{"users":[{"id":"ann","set":{"revoke_tokens_issued_before":"\#(limit)"}}]}"#
    let ways = [
      ("PATCH", "/users", set, #"{"users":[{"id":"ann","set":{"revoke_tokens_issued_before":null}}]}"#),
      ("PATCH", "/api/v2/users", set, #"{"users":[{"id":"ann","unset":["revoke_tokens_issued_before"]}]}"#),
      ("PATCH", "/app", #"{"revoke_tokens_issued_before":"\#(limit)"}"#, #"{"revoke_tokens_issued_before":null}"#),
      (
        "PATCH", "/api/v2/app", #"{"revoke_tokens_issued_before":\#(stream.world.wallTime.nanoseconds)}"#,
        #"{"revoke_tokens_issued_before":null}"#
      ),
    ]
    for (method, path, revoke, undo) in ways {
      #expect(try code(method, path, token: stream.serverToken, revoke) == [200, 0])
      for old in [token, undated] { #expect(try code("GET", "/app", token: old) == [401, 40]) }
      #expect(try code("GET", "/app", token: stream.token()) == [200, 0])
      #expect(try code(method, path, token: stream.serverToken, undo) == [200, 0])
      for old in [token, undated] { #expect(try code("GET", "/app", token: old) == [200, 0]) }
    }
  }

  @Test
  func `deactivated users are refused until they are reactivated`() throws {
    let client = stream.connect(stream.token())
    #expect(try code("POST", "/users/ann/deactivate", token: stream.serverToken, "{}") == [201, 0])
    #expect(!client.isOpen)
    #expect(try code("GET", "/app", token: stream.token()) == [404, 16])
    let refused = stream.connect(stream.token())
    #expect(refused.ending?.code == 1000)
    for part in [#""code":16"#, #""message":"the user ann was deactivated""#, #""StatusCode":404"#] {
      #expect(refused.texts.first?.contains(part) == true, "\(part)")
    }
    #expect(try code("POST", "/api/v2/users/ann/reactivate", token: stream.serverToken, #"{"name":"A"}"#) == [201, 0])
    #expect(stream.connect(stream.token()).isOpen)
    let task = try ask("POST", "/users/delete", token: stream.serverToken, #"{"user_ids":["ann"],"user":"hard"}"#)
    let id = try #require(task.body["task_id"]?.string)
    #expect(try ask("GET", "/tasks/\(id)", token: stream.serverToken).body["status"]?.string == "completed")
    #expect(try code("GET", "/tasks/nonsense", token: stream.serverToken) == [404, 16])
    #expect(try code("POST", "/users/ann/deactivate", token: stream.serverToken, "{}") == [404, 16])
  }

  @Test
  func `deleted users are neither created again nor changed, until a server restores them or deletes them completely`()
    throws
  {
    let server = stream.serverToken
    let both = #"{"users":{"ann":{"id":"ann","name":"A"},"bob":{"id":"bob","name":"B"}}}"#
    #expect(try code("POST", "/users", token: server, both) == [201, 0])
    let client = stream.connect(stream.token())
    #expect(try code("DELETE", "/users/ann", token: server) == [200, 0] && !client.isOpen)
    let later = both.replacing(#""B""#, with: #""C""#)
    for (method, path, body) in [
      ("POST", "/users", later), ("POST", "/api/v2/users", later),
      ("PATCH", "/users", #"{"users":[{"id":"bob","set":{"name":"C"}},{"id":"ann","set":{"name":"A"}}]}"#),
      ("POST", "/users/ann/deactivate", "{}"), ("POST", "/users/ann/reactivate", "{}"),
      ("POST", "/users/reactivate", #"{"user_ids":["bob","ann"]}"#),
      ("POST", "/users/deactivate", #"{"user_ids":["bob","ann"]}"#),
    ] {
      let answer = try ask(method, path, token: server, body)
      #expect(answer.status == 404 && answer.body["code"]?.integer == 16, "\(method) \(path)")
      #expect(answer.body["message"]?.string?.hasSuffix(#"failed with error: "the user ann was deleted""#) == true)
    }
    let bob = try ask(
      "GET", "/users", token: server, query: [HTTPField("payload", #"{"filter_conditions":{"id":"bob"}}"#)])
    let found = try #require(bob.body["users"]?.elements?.first)
    #expect(found["name"]?.string == "B" && found["deactivated_at"] == nil, "all of them or none")
    #expect(stream.connect(stream.token()).texts.first?.contains("the user ann was deleted") == true)
    #expect(try code("GET", "/app", token: stream.token()) == [404, 16])
    #expect(try code("POST", "/users/restore", token: server, #"{"user_ids":["ann"]}"#) == [201, 0])
    #expect(try code("POST", "/users", token: server, both) == [201, 0])
    #expect(stream.connect(stream.token()).isOpen)
    #expect(try code("DELETE", "/users/ann", token: server) == [200, 0])
    let wholly = #"{"user_ids":["ann"],"user":"hard"}"#
    #expect(try code("POST", "/users/delete", token: server, wholly) == [201, 0])
    #expect(try code("POST", "/users", token: server, both) == [201, 0], "a new one of that name")
  }

  @Test(arguments: ["/guest", "/video/guest", "/api/v2/guest"])
  func `guests are made for any client, until that is switched off`(path: String) throws {
    let body = #"{"user":{"id":"tom","name":"Tom"}}"#
    for token in [nil, stream.serverToken] {
      let answer = try ask("POST", path, token: token, body)
      #expect(answer.status == 201 && answer.body["user"]?["name"]?.string == "Tom")
    }
    #expect(try ask("POST", path, body, headers: []).status == 201, "the header is not asked for either")
    #expect(try code("POST", path, "{}") == [400, 4])
    #expect(try code("POST", path, #"{"user":{"id":"a b"}}"#) == [400, 4])
    let off = #"{"guest_user_creation_disabled":true}"#
    #expect(try code("PATCH", "/app", token: stream.serverToken, off) == [200, 0])
    #expect(try code("POST", path, body) == [403, 17])
  }

  @Test
  func `blocked users of a user are listed`() throws {
    _ = try ask("POST", "/users", token: stream.serverToken, #"{"users":{"ann":{"id":"ann"},"bob":{"id":"bob"}}}"#)
    #expect(try code("POST", "/users/block", token: stream.token(), #"{"blocked_user_id":"bob"}"#) == [201, 0])
    let query = [HTTPField("user_id", "ann")]
    let blocks = try ask("GET", "/users/block", token: stream.serverToken, query: query).body["blocks"]
    #expect(blocks?.elements?.map { $0["blocked_user_id"]?.string } == ["bob"])
    #expect(
      try code("POST", "/users/unblock", token: stream.serverToken, #"{"blocked_user_id":"bob","user_id":"ann"}"#)
        == [201, 0])
    #expect(try ask("GET", "/users/block", token: stream.token()).body["blocks"]?.count == 0)
    #expect(try code("POST", "/users/block", token: stream.serverToken, #"{"blocked_user_id":"bob"}"#) == [400, 4])
  }

  @Test
  func `a refused request has the code of its cause`() throws {
    let bare = [HTTPField("authorization", stream.token())]
    let jwt = [HTTPField("stream-auth-type", "jwt")]
    func code(_ headers: [HTTPField], key: String? = SimulatedStream.key) throws -> [Int64?] {
      let answer = try ask("GET", "/api/v2/app", headers: headers, key: key)
      return [Int64(answer.status), answer.body["code"]?.integer, answer.body["details"]?.elements?.first?.integer]
    }
    #expect(try code(bare + jwt) == [200, nil, nil])
    #expect(try code([HTTPField("authorization", "Bearer \(stream.token())")] + jwt) == [200, nil, nil])
    #expect(try code(bare) == [401, 5, 800_101])
    #expect(try code(jwt) == [401, 5, 800_101])
    #expect(try code([]) == [401, 5, 800_101])
    #expect(try code(bare + jwt, key: "other") == [401, 2, nil])
    #expect(try code(bare + jwt, key: nil) == [401, 2, nil])
    #expect(try code([HTTPField("stream-auth-type", "anonymous")]) == [403, 17, nil])
    #expect(try code(bare + [HTTPField("stream-auth-type", "anonymous")]) == [401, 5, nil])
  }

  @Test
  func `an error is worded after its operation, and stray requests have codes of their own`() throws {
    let answer = try ask("POST", "/users", token: stream.serverToken, #"{"users":[]}"#)
    #expect(answer.body["message"]?.string?.hasPrefix(#"UpdateUsers failed with error: "field"#) == true)
    for body in ["not JSON", "[]", #"{"a":1,"a":2}"#, "\u{0}", #"{"users":"#] {
      #expect(try code("POST", "/api/v2/users", token: stream.serverToken, body) == [400, 4])
    }
    for path in ["/video/nowhere", "/api/v2/nowhere", "/users/ann/nowhere", "/reminders/query", "/campaigns/query"] {
      #expect(try code("GET", path, token: stream.serverToken) == [404, 16])
    }
    let method = try ask("DELETE", "/api/v2/app", token: stream.serverToken)
    #expect(method.status == 405 && method.response.header("allow") == "GET, PATCH")
    let upgrade = try ask("GET", "/video/connect")
    #expect(upgrade.status == 426 && upgrade.response.header("upgrade") == "websocket")
    #expect(try ask("GET", "/hi", headers: [], key: nil).status == 200)
  }

  @Test(arguments: ["", "/api/v2/chat"])
  func `no channels are found for chat, which asks for its own after every return`(family: String) throws {
    let query = #"{"filter_conditions":{"cid":{"$in":["messaging:a"]}},"watch":true,"state":true}"#
    let answer = try ask("POST", family + "/channels", token: stream.token(), query)
    #expect(answer.status == 201 && answer.body["channels"]?.elements?.isEmpty == true)
    #expect(try code("POST", family + "/channels", token: stream.token(), #"{"filter_conditions":[]}"#) == [400, 4])
    #expect(try code("POST", family + "/channels", query) == [403, 17])
  }
}
