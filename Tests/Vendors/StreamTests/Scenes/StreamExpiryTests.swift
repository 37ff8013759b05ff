import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamExpiryTests {
  private static let sockets = StreamDialect.Kind.allCases

  private func type(_ text: String) -> String? {
    (try? JSONDocument.parse(text).root["type"]?.string) ?? nil
  }

  private func code(_ text: String) -> Int64? {
    (try? JSONDocument.parse(text).root["error"]?["code"]?.integer) ?? nil
  }

  @Test(arguments: sockets)
  func
    `an expired client gets code 40 with its live connection_id, and is closed with a code that every SDK returns from`(
      kind: StreamDialect.Kind
    ) throws
  {
    let stream = try SimulatedStream()
    let client = stream.connect(stream.token(life: .seconds(100)), on: kind)
    stream.world.advance(by: .seconds(100) - .nanoseconds(1))
    #expect(client.texts.count == 1 && client.isOpen)
    let id = try #require(try JSONDocument.parse(client.texts[0]).root["connection_id"]?.string)
    stream.world.advance(by: .nanoseconds(1))
    #expect(client.texts.count == 2 && type(client.texts[1]) == "connection.error" && code(client.texts[1]) == 40)
    #expect(try JSONDocument.parse(client.texts[1]).root["connection_id"]?.string == id)
    let ending = try #require(client.ending)
    #expect(ending.code == 4001 && ending.name == "refresh_timeout" && ending.at == .seconds(100))
  }

  @Test
  func `an expired client gets the configured reaction: the event or not, a delay, another code`() throws {
    for sendsError in [true, false] {
      for delay in [Duration.zero, .seconds(3)] {
        for closeCode: UInt16 in [1000, 4001] {
          let stream = try SimulatedStream {
            $0.expiry.sendsError = sendsError
            $0.expiry.delay = delay
            $0.expiry.closeCode = closeCode
          }
          let client = stream.connect(stream.token(life: .seconds(100)))
          stream.world.advance(by: .seconds(100))
          #expect(client.texts.count == (sendsError ? 2 : 1))
          #expect(client.isOpen == (delay > .zero))
          stream.world.advance(by: .seconds(3))
          let ending = try #require(client.ending)
          #expect(ending.code == closeCode && (ending.name == "") == (closeCode == 1000))
          #expect(ending.at == Instant.zero + .seconds(100) + delay)
          #expect(client.texts.count == (sendsError ? 2 : 1))
        }
      }
    }
  }

  @Test
  func `an expired client still receives events in the meantime`() throws {
    let stream = try SimulatedStream { $0.expiry.delay = .seconds(5) }
    let client = stream.connect(stream.token(life: .seconds(100)))
    stream.world.advance(by: .seconds(101))
    client.say("[]")
    stream.world.settle()
    #expect(client.texts.map(type) == ["connection.ok", "connection.error", "health.check"])
  }

  @Test
  func
    `an expired client returns with a provider's token, and without one is refused with 40 on a nameless connection`()
    throws
  {
    let stream = try SimulatedStream()
    let old = stream.token(life: .seconds(100))
    _ = stream.connect(old)
    stream.world.advance(by: .seconds(100))
    let refused = stream.connect(old)
    #expect(code(refused.texts[0]) == 40 && refused.ending?.code == 1000 && refused.ending?.name == "")
    #expect(try JSONDocument.parse(refused.texts[0]).root["connection_id"]?.string == "")
    let accepted = stream.connect(stream.token())
    #expect(accepted.texts.map(type) == ["connection.ok"] && accepted.isOpen)
  }

  @Test
  func `an operator's expiry long before exp has the same effect`() throws {
    let stream = try SimulatedStream()
    let client = stream.connect(stream.token(life: nil))
    #expect(stream.control("ann", .expireNow) == 1)
    #expect(code(client.texts[1]) == 40 && client.ending?.code == 4001)
  }

  @Test
  func `a revoked client is told in the same way, and no other client is`() throws {
    let stream = try SimulatedStream()
    let ann = stream.connect(stream.token())
    let bob = stream.connect(stream.token("bob"), as: "bob")
    stream.world.advance(by: .seconds(10))
    let limit = StreamDates.text(stream.world.wallTime)
    let answer = stream.fetch(
      "PATCH", "/api/v2/users", token: stream.serverToken,
      body: #"{"users":[{"id":"ann","set":{"revoke_tokens_issued_before":"\#(limit)"}}]}"#)
    #expect(answer?.status == 200)
    #expect(ann.types == ["connection.ok", "user.updated", "connection.error"])
    #expect(code(ann.texts[2]) == 40 && ann.texts[2].contains("has been revoked") && ann.ending?.code == 4001)
    #expect(bob.isOpen && bob.texts.count == 1)
    let all = stream.fetch(
      "PATCH", "/app", token: stream.serverToken, body: #"{"revoke_tokens_issued_before":"\#(limit)"}"#)
    #expect(all?.status == 200)
    #expect(code(bob.texts[1]) == 40 && !bob.isOpen)
  }
}

@Suite(.onNodes)
struct StreamOrderedExpiryTests {
  @Test
  func `a token that an operator expired is refused with 40 on return and over REST, and a new one is accepted`() throws
  {
    let stream = try SimulatedStream()
    let old = stream.token("ann")
    let peer = stream.connect(old)
    #expect(stream.control("ann", .expireNow) == 1)
    stream.world.settle()
    #expect(peer.count(#""code":40"#) == 1 && peer.ending?.code == 4001)
    let again = stream.connect(old)
    #expect(again.count(#""code":40"#) == 1 && !again.isOpen)
    #expect(stream.fetch("GET", "/video/edges", token: old)?.status == 401)
    stream.world.advance(by: .seconds(1))
    #expect(stream.connect(stream.token("ann")).count("connection.ok") == 1)
  }
}
