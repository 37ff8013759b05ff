import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamCallEventsTests {
  /// Returns the messages that the client received after its login, without answers to health checks.
  private func heard(_ peer: SimulatedPeer) -> [JSONView] {
    peer.texts.compactMap { try? JSONDocument.parse($0, sizeMax: 1 << 20).root }.filter {
      $0["type"]?.string?.hasPrefix("call.") == true || $0["type"]?.equals("custom") == true
    }
  }

  private func kinds(_ peer: SimulatedPeer) -> [String] { heard(peer).compactMap { $0["type"]?.string } }

  private func connectionID(_ peer: SimulatedPeer) throws -> HTTPField {
    let first = try #require(peer.texts.first)
    return HTTPField("connection_id", try #require(try JSONDocument.parse(first).root["connection_id"]?.string))
  }

  @Test
  func `events reach watchers on any loop and in any family's dates, until that connection ends`() throws {
    // A user who joins over REST is in the call at once.
    let stream = try SimulatedStream { $0.calls.sfu = nil }
    // Connections alternate between the loops: these two watch from both.
    let video = stream.connect(stream.token("ann"), as: "ann")
    let v2 = stream.connect(stream.token("bob"), as: "bob", on: .v2)
    let idle = stream.connect(stream.token("eve"), as: "eve")
    let path = "/video/call/default/a"
    _ = stream.fetch("POST", path, token: stream.token("ann"), query: [try connectionID(video)])
    let watching = stream.fetch("GET", path, token: stream.token("bob"), query: [try connectionID(v2)])
    #expect(watching?.status == 200)
    let zoe = stream.connect(stream.token("zoe"), as: "zoe")
    let joined = stream.fetch(
      "POST", "\(path)/join", token: stream.token("zoe"), query: [try connectionID(zoe)],
      body: #"{"location":"FRA"}"#)
    #expect(joined?.status == 201)
    _ = stream.fetch("POST", "\(path)/event", token: stream.token("zoe"), body: #"{"custom":{"n":1}}"#)
    zoe.abort()
    stream.world.settle()
    let session = ["call.session_started", "call.session_participant_joined", "custom"]
    let end = ["call.session_participant_left", "call.session_ended"]
    #expect(kinds(video) == ["call.created"] + session + end)
    #expect(kinds(v2) == session + end)
    #expect(kinds(zoe) == session)
    #expect(kinds(idle) == [])
    #expect(heard(video).allSatisfy { StreamDates.read($0["created_at"]?.string ?? "") != nil })
    #expect(heard(v2).allSatisfy { ($0["created_at"]?.integer ?? 0) > 1_000_000_000_000_000_000 })
    video.close()
    stream.world.settle()
    _ = stream.fetch("POST", "\(path)/event", token: stream.token("eve"), body: #"{"custom":{"n":2}}"#)
    #expect(kinds(video).count == 6)
    #expect(kinds(v2).last == "custom")
  }

  @Test
  func `a ring's events reach every connection of a member once, and one that watches too not twice`() throws {
    let stream = try SimulatedStream()
    let bobs = [
      stream.connect(stream.token("bob"), as: "bob"), stream.connect(stream.token("bob"), as: "bob", on: .v2),
    ]
    let path = "/api/v2/video/call/default/a"
    let body = #"{"ring":true,"data":{"members":[{"user_id":"bob"}]}}"#
    _ = stream.fetch("POST", path, token: stream.token("ann"), body: body)
    _ = stream.fetch("GET", path, token: stream.token("bob"), query: [try connectionID(bobs[1])])
    _ = stream.fetch("POST", "\(path)/accept", token: stream.token("bob"))
    for bob in bobs { #expect(kinds(bob) == ["call.created", "call.ring", "call.accepted"]) }
  }

  @Test
  func `an unanswered ring's events come when its time has passed`() throws {
    let stream = try SimulatedStream()
    let bob = stream.connect(stream.token("bob"), as: "bob")
    _ = stream.fetch(
      "POST", "/video/call/default/a", token: stream.token("ann"),
      body: #"{"ring":true,"data":{"members":[{"user_id":"bob"}]}}"#)
    let start = stream.world.now
    stream.world.run(until: start + .milliseconds(14_900))
    #expect(kinds(bob) == ["call.created", "call.ring"])
    stream.world.run(until: start + .seconds(16))
    #expect(kinds(bob) == ["call.created", "call.ring", "call.missed"])
  }

  @Test
  func `events end for a connection that watches more calls than it may`() throws {
    let stream = try SimulatedStream()
    let ann = stream.connect(stream.token("ann"), as: "ann")
    let connection = try connectionID(ann)
    for number in 0..<100 {
      let answer = stream.fetch(
        "POST", "/video/call/default/c\(number)", token: stream.token("ann"), query: [connection])
      #expect(answer?.status == 201)
    }
    let more = stream.fetch("POST", "/video/call/default/more", token: stream.token("ann"), query: [connection])
    #expect(more?.status == 429)
    #expect(ann.isOpen)
  }
}
