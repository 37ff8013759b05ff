import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamGuestLimitsTests {
  private let stream: SimulatedStream

  init() throws {
    stream = try SimulatedStream {
      $0.guests.perAddressPerMinute = 3
      $0.guests.perLoopbackPerMinute = 3
    }
  }

  private func make(token: String? = nil) throws -> HTTPResponse {
    let body = #"{"user":{"id":"tom","name":"Tom","custom":{"a":1}}}"#
    return try #require(stream.fetch("POST", "/video/guest", token: token, body: body))
  }

  private func guest() throws -> (id: String, token: String) {
    let body = try JSONDocument.parse(try make().body).root
    return (try #require(body["user"]?["id"]?.string), try #require(body["access_token"]?.string))
  }

  private func users() throws -> [String] {
    let body = try #require(stream.fetch("GET", "/users", token: stream.serverToken)).body
    return try JSONDocument.parse(body).root["users"]?.elements?.compactMap { $0["id"]?.string } ?? []
  }

  @Test
  func `guests of one address are limited per minute, and then 429 with code 9 has the time to retry after`() throws {
    for _ in 0..<3 { #expect(try make().status == 201) }
    let refused = try make()
    let body = try JSONDocument.parse(refused.body).root
    #expect(refused.status == 429 && body["code"]?.integer == 9 && body["StatusCode"]?.integer == 429)
    #expect(refused.header("retry-after") == "20")
    #expect(try users().count == 3)
    #expect(try make(token: stream.token()).status == 429, "a user's token buys no more")
    #expect(try make(token: stream.serverToken).status == 201, "servers make as many as they like")
    stream.world.advance(by: .seconds(20))
    #expect(try make().status == 201)
    #expect(try make().status == 429)
  }

  @Test
  func `unused guests are forgotten, and return as the same guests`() throws {
    let (idle, gone, here) = (try guest(), try guest(), try guest())
    let peer = stream.connect(gone.token, as: gone.id)
    let staying = stream.connect(here.token, as: here.id)
    stream.world.advance(by: .seconds(1800))
    peer.close()
    stream.world.advance(by: .seconds(1801))
    let new = try guest()
    #expect(Set(try users()) == [gone.id, here.id, new.id], "one went less than an hour ago, one is here")
    stream.world.advance(by: .seconds(3600))
    _ = try guest()
    #expect(try users().contains(here.id) && staying.isOpen && !(try users().contains(gone.id)))
    let back = stream.connect(idle.token, as: idle.id)
    let me = try JSONDocument.parse(try #require(back.texts.first)).root["me"]
    #expect(me?["id"]?.string == idle.id && me?["role"]?.string == "guest" && me?["name"] == nil)
  }
}
