import GatewayCore
import GatewayJSON
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct QueryTests {
  private func filled() throws -> StreamCallWorld {
    let http = try StreamCallWorld()
    let calls = [
      ("default/a", #"{"data":{"custom":{"topic":"tea","n":1},"members":[{"user_id":"bob"}],"team":"blue"}}"#, "ann"),
      ("default/b", #"{"data":{"custom":{"topic":"coffee","n":2},"starts_at":"2030-01-01T00:00:00Z"}}"#, "bob"),
      ("livestream/a", #"{"data":{"custom":{"tags":["x","y"]},"members":[{"user_id":"eve"}]}}"#, "ann"),
    ]
    for (path, body, user) in calls {
      #expect(try http.ask("POST", "call/\(path)", body, as: .user(user)).status == 201)
      http.advance(by: .seconds(1))
    }
    return http
  }

  private func find(_ http: StreamCallWorld, _ body: String) throws -> [String] {
    let answer = try http.ask("POST", "calls", body)
    #expect(answer.status == 201, "\(answer.body.text)")
    return answer.body.at("calls")?.elements?.compactMap { $0.at("call.cid")?.string } ?? []
  }

  @Test(
    .long,
    arguments: [
      (#"{}"#, "livestream:a default:b default:a"),
      (#"{"cid":{"$in":["default:a","livestream:a","none:x"]}}"#, "livestream:a default:a"),
      (#"{"cid":{"$eq":"default:b"}}"#, "default:b"), (#"{"cid":"default:b"}"#, "default:b"),
      (#"{"type":"default","id":"a"}"#, "default:a"), (#"{"type":{"$in":["livestream"]}}"#, "livestream:a"),
      (#"{"created_by_user_id":"bob"}"#, "default:b"),
      (#"{"members":{"$in":["bob","eve"]}}"#, "livestream:a default:a"),
      (#"{"members":{"$nin":["bob"]}}"#, "livestream:a default:b"), (#"{"members":{"$contains":"bob"}}"#, "default:a"),
      (#"{"members":{"$eq":["bob"]}}"#, "default:a"), (#"{"members":{"$ne":["eve"]}}"#, "default:b default:a"),
      (#"{"$or":[{"members":{"$in":["eve"]}},{"members":{"$in":["zoe"]}}]}"#, "livestream:a"),
      (#"{"custom.topic":"tea"}"#, "default:a"), (#"{"custom.n":{"$gt":1}}"#, "default:b"),
      (#"{"custom.tags":{"$in":["y"]}}"#, "livestream:a"), (#"{"team":{"$exists":true}}"#, "default:a"),
      (#"{"starts_at":{"$exists":false}}"#, "livestream:a default:a"), (#"{"backstage":true}"#, "livestream:a"),
      (#"{"ongoing":true}"#, ""), (#"{"created_at":{"$lte":"2027-01-15T08:00:01Z"}}"#, "default:b default:a"),
      (#"{"starts_at":{"$gte":"2029-01-01T00:00:00+00:00"}}"#, "default:b"),
      (#"{"$or":[{"id":"b"},{"type":"livestream"}]}"#, "livestream:a default:b"),
      (#"{"$and":[{"id":"a"},{"type":"default"}]}"#, "default:a"),
      (#"{"$nor":[{"id":"a"}]}"#, "default:b"),
    ])
  func `calls are found by every field and operator`(conditions: String, expected: String) throws {
    let http = try filled()
    #expect(try find(http, #"{"filter_conditions":\#(conditions)}"#).joined(separator: " ") == expected)
  }

  @Test
  func `calls are found by a thousand members at most, in any list, and by lists of a thousand values`() throws {
    let http = try filled()
    func names(_ count: Int) -> String { (0..<count).map { #""user\#($0)""# }.joined(separator: ",") }
    for (count, status) in [(500, 201), (501, 400)] {
      let half = #"{"members":{"$in":[\#(names(500))]}},{"members":{"$in":[\#(names(count))]}}"#
      let answer = try http.ask("POST", "calls", #"{"filter_conditions":{"$or":[\#(half)]}}"#)
      #expect(answer.status == status, "\(answer.body.text)")
    }
    let long = #"{"filter_conditions":{"id":{"$in":[\#(names(1001))]}}}"#
    #expect(try http.ask("POST", "calls", long).status == 400)
  }

  @Test(arguments: [
    (#"[{"field":"cid","direction":1}]"#, "default:a default:b livestream:a"),
    (#"[{"field":"created_at","direction":-1}]"#, "livestream:a default:b default:a"),
    (#"[{"field":"type","direction":-1},{"field":"id","direction":-1}]"#, "livestream:a default:b default:a"),
    (#"[{"field":"starts_at","direction":1}]"#, "default:b default:a livestream:a"),
    (#"[{"field":"starts_at","direction":-1}]"#, "default:b default:a livestream:a"),
  ])
  func `calls are listed in the order asked for`(order: String, expected: String) throws {
    #expect(try find(try filled(), #"{"sort":\#(order)}"#).joined(separator: " ") == expected)
  }

  @Test(.long)
  func `calls are listed a hundred at a time at most, which is also the default and the meaning of 0`() throws {
    let http = try StreamCallWorld(limits: StreamCallLimits(calls: 200))
    for number in 0..<101 { _ = try http.ask("POST", "call/default/c\(number)") }
    for body in ["{}", #"{"limit":0}"#, #"{"limit":100}"#] {
      let answer = try http.ask("POST", "calls", body).body
      #expect(answer.at("calls")?.count == 100 && answer.at("next") != nil)
    }
    #expect(try http.ask("POST", "calls", #"{"limit":26}"#).body.at("calls")?.count == 26)
  }

  @Test
  func `calls are listed page by page, there and back`() throws {
    let http = try filled()
    let sort = #""sort":[{"field":"cid","direction":1}],"limit":1"#
    var body = try http.ask("POST", "calls", "{\(sort)}").body
    #expect(body.at("prev") == nil)
    var seen: [String] = []
    while true {
      seen.append(try #require(body.at("calls.0.call.cid")?.string))
      guard let next = body.at("next")?.string else { break }
      body = try http.ask("POST", "calls", #"{\#(sort),"next":"\#(next)"}"#).body
    }
    #expect(seen == ["default:a", "default:b", "livestream:a"])
    let prev = try #require(body.at("prev")?.string)
    let back = try http.ask("POST", "calls", #"{\#(sort),"prev":"\#(prev)"}"#).body
    #expect(back.at("calls.0.call.cid")?.string == "default:b")
  }

  @Test(arguments: ["created_at", "id"])
  func `no call is listed twice or left out, though calls come and go between the pages`(field: String) throws {
    let http = try StreamCallWorld(limits: StreamCallLimits(calls: 200))
    // Two calls of each time: equal in their sort value.
    for number in 10..<30 {
      _ = try http.ask("POST", "call/default/c\(number)")
      if number % 2 == 1 { http.advance(by: .seconds(1)) }
    }
    let sort = #""sort":[{"field":"\#(field)","direction":-1}],"limit":4"#
    var (seen, body): ([String], JSONView) = ([], try http.ask("POST", "calls", "{\(sort)}").body)
    var pages = 0
    while true {
      seen += body.at("calls")?.elements?.compactMap { $0.at("call.id")?.string } ?? []
      guard let next = body.at("next")?.string else { break }
      // The last call on the page is removed, and one before it; a new one precedes all.
      for gone in [seen[seen.count - 2], seen[seen.count - 1]] {
        #expect(try http.ask("POST", "call/default/\(gone)/delete", "{}", as: .server).status == 201)
      }
      _ = try http.ask("POST", "call/default/x\(pages)")
      pages += 1
      body = try http.ask("POST", "calls", #"{\#(sort),"next":"\#(next)"}"#).body
    }
    let order = field == "id" ? Array((10..<30).reversed()) : stride(from: 28, to: 9, by: -2).flatMap { [$0, $0 + 1] }
    #expect(seen == order.map { "c\($0)" } && pages == 4)
  }

  @Test
  func `no member is listed twice or left out, though members come and go between the pages`() throws {
    let http = try StreamCallWorld()
    func names(_ numbers: Range<Int>) -> String { numbers.map { #"{"user_id":"m\#($0)"}"# }.joined(separator: ",") }
    _ = try http.ask("POST", "call/default/a", #"{"data":{"members":[\#(names(10..<19))]}}"#)
    for sort in ["", #","sort":[{"field":"user_id","direction":1}]"#] {
      var seen: [String] = []
      var next = ""
      while true {
        let body = try http.ask(
          "POST", "call/members", #"{"type":"default","id":"a","limit":2\#(sort)\#(next)}"#
        ).body
        seen += body.at("members")?.elements?.compactMap { $0["user_id"]?.string } ?? []
        guard let cursor = body.at("next")?.string else { break }
        next = #","next":"\#(cursor)""#
        let gone = #"{"remove_members":["\#(seen.last ?? "")"]}"#
        #expect(try http.ask("POST", "call/default/a/members", gone).status == 201)
      }
      #expect(seen == (10..<19).map { "m\($0)" })
      let back = #"{"update_members":[\#(names(10..<19))]}"#
      #expect(try http.ask("POST", "call/default/a/members", back).status == 201)
    }
  }

  @Test
  func `listed calls have the state of their own reply, below /api/v2/ with its dates`() throws {
    let http = try filled()
    let body = #"{"filter_conditions":{"cid":"default:a"}}"#
    let call = try #require(try http.ask("POST", "calls", body, as: .user("bob"), v2: true).body.at("calls.0"))
    #expect(call.at("call.created_at")?.integer == 1_800_000_000_000_000_000)
    #expect(call.at("members.0.user_id")?.string == "bob" && call.at("membership.user_id")?.string == "bob")
    #expect(call.at("own_capabilities")?.count ?? 0 > 3)
  }

  @Test(arguments: [
    #"{"filter_conditions":[]}"#, #"{"filter_conditions":{"colour":"red"}}"#, #"{"limit":-1}"#, #"{"limit":101}"#,
    #"{"filter_conditions":{"id":{"$regex":"a"}}}"#, #"{"sort":[{"field":"colour"}]}"#, #"{"limit":"5"}"#,
    #"{"sort":[{"field":"cid","direction":2}]}"#, #"{"next":"x"}"#, #"{"next":"page-1","prev":"page-1"}"#,
    #"{"next":"page-99999999999999999999"}"#, #"{"filter_conditions":{"$or":{}}}"#, #"{"sort":{}}"#,
  ])
  func `an invalid query is refused`(body: String) throws {
    let answer = try filled().ask("POST", "calls", body)
    #expect(answer.status == 400 && answer.body.at("code")?.integer == 4)
    #expect(answer.body.at("exception_fields")?.count ?? 0 > 0)
  }

  @Test
  func `members of a call are found by name and role`() throws {
    let http = try StreamCallWorld()
    let members = #"[{"user_id":"a"},{"user_id":"b","role":"host"},{"user_id":"c"}]"#
    _ = try http.ask("POST", "call/default/a", #"{"data":{"members":\#(members)}}"#)
    func find(_ rest: String) throws -> [String] {
      let answer = try http.ask("POST", "call/members", #"{"type":"default","id":"a"\#(rest)}"#)
      return answer.body.at("members")?.elements?.compactMap { $0["user_id"]?.string } ?? []
    }
    #expect(try find("") == ["a", "b", "c"])
    #expect(try find(#","filter_conditions":{"user_id":{"$in":["c","a"]}}"#) == ["a", "c"])
    #expect(try find(#","filter_conditions":{"role":"host"}"#) == ["b"])
    #expect(try find(#","sort":[{"field":"user_id","direction":-1}]"#) == ["c", "b", "a"])
    #expect(try find(#","sort":[{"field":"created_at","direction":-1}],"limit":2"#) == ["a", "b"], "they came at once")
    let refused = try http.ask("POST", "call/members", #"{"type":"default","id":"a","sort":[{"field":"role"}]}"#)
    #expect(refused.status == 400 && refused.body.at("code")?.integer == 4)
    #expect(try http.ask("POST", "call/members", #"{"type":"default","id":"none"}"#).status == 404)
  }
}
