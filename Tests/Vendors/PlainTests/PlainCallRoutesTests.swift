import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayPlain

struct PlainCallRoutesTests {
  private let http: PlainHTTP

  init() throws {
    http = try PlainHTTP(try TokenProviderPolicy())
  }

  private let standup = "/v1/calls/default/standup"

  @Test
  func `a connected user makes a call, gets it, joins it and publishes to it`() throws {
    http.connect("ann")
    let ann = http.token("ann")
    let made = try http.ask("POST", standup, "{}", bearer: ann)
    #expect(made.response.status == 201)
    #expect(made.body["cid"]?.string == "default:standup")
    #expect(made.body["created_by"]?.string == "ann")
    #expect(made.body["created_at"]?.number == 1_800_000_000)
    #expect(made.body["members"]?.count == 0)
    #expect(try http.ask("POST", standup, bearer: ann).response.status == 200)
    #expect(try http.ask("GET", standup, bearer: ann).response.status == 200)
    #expect(
      PlainHTTP.error(try http.ask("POST", "\(standup)/events", #"{"content":1}"#, bearer: ann)) == [400, 400_006])
    let joined = try http.ask("POST", "\(standup)/join", bearer: ann)
    #expect(joined.response.status == 200)
    #expect(joined.body["members"]?.elements?.map(\.string) == ["ann"])
    let bob = http.connect("bob")
    bob.say(#"{"type":"join","cid":"default:standup"}"#)
    http.world.settle()
    let sent = try http.ask("POST", "\(standup)/events", #"{"content":{"n": 1.0}}"#, bearer: ann)
    #expect(sent.response.status == 202)
    #expect(
      bob.texts.last == #"{"type":"message","cid":"default:standup","user_id":"ann","content":{"n": 1.0}}"#)
  }

  @Test(arguments: UserKind.allCases)
  func `a user without an authenticated connection gets 800101, with a good token or none`(kind: UserKind) throws {
    let requests = [("POST", standup), ("GET", standup), ("POST", "\(standup)/join"), ("POST", "\(standup)/events")]
    for (method, path) in requests {
      #expect(PlainHTTP.error(try http.ask(method, path)) == [409, 800_101])
      guard kind != .anonymous else { continue }
      #expect(PlainHTTP.error(try http.ask(method, path, bearer: http.token("bob", kind))) == [409, 800_101])
    }
  }

  @Test
  func `a bad token gets its own error and the challenge of RFC 6750`() throws {
    http.connect("ann")
    let (old, revoked) = (http.token("ann", life: .seconds(1)), http.token("ann"))
    http.world.advance(by: .seconds(600))
    let now = http.world.wallTime
    for (token, number) in [("nonsense", 401_001), (old, 401_002), (revoked, 401_009)] {
      if token == revoked {
        _ = http.space.order { try? await $0.revoke(.user(UserID("ann"), issuedBefore: now)) }
      }
      let answer = try http.ask("GET", standup, bearer: token)
      #expect(PlainHTTP.error(answer) == [401, number])
      #expect(answer.response.header("www-authenticate")?.contains(#"error="invalid_token""#) == true)
      #expect(!String(decoding: answer.response.body, as: UTF8.self).contains(token))
    }
  }

  @Test
  func `an Authorization that is no bearer token is refused as missing credentials`() throws {
    let answer = try http.ask("GET", standup, headers: [HTTPField("authorization", "Basic abc")])
    #expect(PlainHTTP.error(answer) == [401, 401_000])
    #expect(answer.response.header("www-authenticate")?.hasPrefix("Bearer") == true)
    #expect(answer.response.header("www-authenticate")?.contains("error") == false)
  }

  @Test
  func `an anonymous user opens the calls of its call token without a connection, and no others`() throws {
    let token = http.token("!anon", .anonymous, calls: ["default:standup", "default:retro"])
    #expect(try http.ask("POST", standup, bearer: token).response.status == 201)
    #expect(try http.ask("POST", "\(standup)/join", bearer: token).response.status == 200)
    let again = try http.ask("POST", "\(standup)/join", bearer: token)
    #expect(again.body["members"]?.elements?.map(\.string) == ["!anon"])
    #expect(try http.ask("GET", standup, bearer: token).response.status == 200)
    #expect(PlainHTTP.error(try http.ask("GET", "/v1/calls/default/retro", bearer: token)) == [404, 404_001])
    for (method, suffix) in [("POST", ""), ("GET", ""), ("POST", "/join"), ("POST", "/events")] {
      let answer = try http.ask(method, "/v1/calls/default/secret\(suffix)", bearer: token)
      #expect(PlainHTTP.error(answer) == [403, 403_002])
    }
    let ann = http.connect("ann")
    ann.say(#"{"type":"join","cid":"default:standup"}"#)
    http.world.settle()
    let publish = try http.ask("POST", "\(standup)/events", #"{"content":1}"#, bearer: token)
    #expect(PlainHTTP.error(publish) == [403, 403_004])
    #expect(ann.texts.count == 2 && ann.count("joined") == 1)
  }

  @Test
  func `a call token without expiry, without calls or with too many is refused`() throws {
    let many = (0..<101).map { "default:\($0)" }
    for token in [
      http.token("!anon", .anonymous, life: nil, calls: ["default:standup"]), http.token("!anon", .anonymous),
      http.token("!anon", .anonymous, calls: many + ["default:standup"]),
    ] {
      #expect(PlainHTTP.error(try http.ask("POST", standup, bearer: token)) == [401, 401_012])
    }
    let most = http.token("!anon", .anonymous, calls: Array(many.prefix(99)) + ["default:standup"])
    #expect(try http.ask("POST", standup, bearer: most).response.status == 201)
  }

  @Test
  func `a missing call is not found, and cannot be joined or published to`() throws {
    http.connect("ann")
    let ann = http.token("ann")
    #expect(PlainHTTP.error(try http.ask("GET", standup, bearer: ann)) == [404, 404_001])
    #expect(PlainHTTP.error(try http.ask("POST", "\(standup)/join", bearer: ann)) == [404, 404_001])
    #expect(
      PlainHTTP.error(try http.ask("POST", "\(standup)/events", #"{"content":1}"#, bearer: ann)) == [404, 404_001])
  }

  @Test(arguments: [
    ("POST", "/v1/calls/a%3Ab/c", "", 400_003), ("POST", "/v1/calls/a/%C3%A9", "", 400_003),
    ("GET", "/v1/calls/a/\(String(repeating: "x", count: 127))", "", 400_003),
    ("POST", "/v1/calls/a/b", "[]", 400_004), ("POST", "/v1/calls/a/b", "{", 400_004),
    ("POST", "/v1/calls/a/b/join", "nonsense", 400_004), ("POST", "/v1/calls/a/b/events", "", 400_004),
    ("POST", "/v1/calls/a/b/events", "{}", 400_003),
    ("POST", "/v1/calls/a/b/events", #"{"content":1,"content":2}"#, 400_004),
  ])
  func `wrong names and bodies are refused`(method: String, path: String, body: String, number: Int) throws {
    http.connect("ann")
    #expect(PlainHTTP.error(try http.ask(method, path, body, bearer: http.token("ann"))) == [400, number])
  }

  @Test
  func `a full directory is reported as a limit reached`() throws {
    let http = try PlainHTTP(try TokenProviderPolicy(), callsMax: 1)
    http.connect("ann")
    #expect(try http.ask("POST", standup, bearer: http.token("ann")).response.status == 201)
    #expect(PlainHTTP.error(try http.ask("POST", "/v1/calls/a/b", bearer: http.token("ann"))) == [429, 429_001])
  }
}
