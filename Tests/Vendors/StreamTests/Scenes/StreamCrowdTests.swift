import GatewayCore
import GatewayJSON
import GatewayRuntime
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct StreamCrowdTests {
  private static let callSize = 50

  /// A client with its coordinator socket, which it reopens when its token expires, and its SFU socket.
  private final class Client {
    let user: String
    let call: String
    var socket: SimulatedPeer
    var media: SimulatedPeer

    init(_ number: Int, on stream: SimulatedStream) {
      user = "u\(number)"
      call = "default/room-\(number / callSize)"
      // Half of the tokens expire in one second, the others each in their own.
      let life = number % 2 == 0 ? 20 : 5 + number % 30
      socket = stream.connect(stream.token(user, life: .seconds(life)), as: user)
      media = stream.enter(user, call, session: user)
    }
  }

  private func people(in stream: SimulatedStream, calls: Int) -> [Set<String>] {
    (0..<calls).map { Set(stream.participants("default/room-\($0)")) }
  }

  @Test(.long, arguments: [500])
  func `a crowd in calls of fifty loses no client, and no user stays who has left`(count: Int) throws {
    // Over two gateways each announcement takes several times as long.
    let count = TestPlace.ofScenes == .cluster ? count / 5 : count
    let stream = try SimulatedStream()
    let calls = count / Self.callSize
    let clients = (0..<count).map { Client($0, on: stream) }
    #expect(clients.allSatisfy { $0.media.heard.first == "joinResponse" && $0.socket.types.first == "connection.ok" })
    #expect(people(in: stream, calls: calls).allSatisfy { $0.count == Self.callSize })

    // The tokens expire: the clients reconnect with new ones, and stay in the call all the while.
    var returns = 0
    for _ in 0..<40 {
      stream.world.advance(by: .seconds(1))
      for client in clients {
        if client.socket.isOpen {
          client.socket.say(#"[{"type":"health.check"}]"#)
        } else {
          #expect(client.socket.ending?.code == 4001)
          client.socket = stream.connect(stream.token(client.user), as: client.user)
          returns += 1
        }
        client.media.say(#"{"healthCheckRequest":{}}"#)
      }
    }
    stream.world.settle()
    #expect(returns == count)
    #expect(clients.allSatisfy { $0.socket.isOpen && $0.media.isOpen })
    #expect(
      people(in: stream, calls: calls)
        == (0..<calls).map { call in
          Set((call * Self.callSize..<(call + 1) * Self.callSize).map { "u\($0)" })
        })

    // A third of the clients leave with a message, a third close, and a third lose their network.
    for (number, client) in clients.enumerated() where number % Self.callSize != 0 {
      switch number % 3 {
      case 0: client.media.say(#"{"leaveCallRequest":{"sessionId":"\#(client.user)"}}"#)
      case 1: client.media.close()
      default: client.media.abort()
      }
    }
    stream.world.advance(by: .seconds(1))
    let soon = people(in: stream, calls: calls)
    #expect(
      soon.allSatisfy {
        $0.isSubset(of: Set(clients.indices.filter { $0 % Self.callSize == 0 || $0 % 3 == 2 }.map { "u\($0)" }))
      })
    stream.world.advance(by: .seconds(10))
    #expect(people(in: stream, calls: calls) == (0..<calls).map { ["u\($0 * Self.callSize)"] })
    for client in clients {
      client.media.close()
      client.socket.close()
    }
    stream.world.advance(by: .seconds(10))
    #expect(people(in: stream, calls: calls).allSatisfy { $0.isEmpty })
    let status = try #require(stream.fetch("GET", "/video/active_calls_status", token: stream.serverToken))
    #expect(try JSONDocument.parse(status.body).root.at("summary.participants")?.integer == 0)
  }

  @Test
  func `a ring runs to its end on both sides, and a livestream opens for guests and anonymous viewers`() throws {
    let stream = try SimulatedStream()
    let (ann, bob) = (stream.connect(stream.token()), stream.connect(stream.token("bob"), as: "bob"))
    let ring = #"{"ring":true,"data":{"members":[{"user_id":"ann"},{"user_id":"bob"}]}}"#
    let query = [HTTPField("connection_id", try #require(ann.coordinatorID))]
    let made = stream.fetch("POST", "/video/call/default/ring", token: stream.token(), query: query, body: ring)
    #expect(made?.status == 201 && bob.types.contains("call.ring") && !ann.types.contains("call.ring"))
    let accepted = stream.fetch("POST", "/video/call/default/ring/accept", token: stream.token("bob"), body: "{}")
    #expect(accepted?.status == 201 && ann.types.contains("call.accepted") && bob.types.contains("call.accepted"))
    let sockets = ["ann", "bob"].map { stream.enter($0, "default/ring", session: $0) }
    #expect(sockets.allSatisfy { $0.heard.first == "joinResponse" })
    #expect(stream.participants("default/ring") == ["ann", "bob"])
    #expect(
      stream.fetch("POST", "/video/call/default/ring/mark_ended", token: stream.token("bob"), body: "{}")?.status == 201
    )
    #expect(sockets.allSatisfy { $0.signal("callEnded") != nil } && ann.types.contains("call.ended"))
    stream.world.advance(by: .seconds(60))
    #expect(!ann.types.contains("call.missed") && !bob.types.contains("call.missed"))

    #expect(stream.fetch("POST", "/video/call/livestream/show", token: stream.token(), body: "{}")?.status == 201)
    #expect(
      stream.fetch("POST", "/video/call/livestream/show/go_live", token: stream.token(), body: "{}")?.status == 201)
    let guest = try #require(stream.guest("tom"))
    let joined = try #require(stream.join(guest.user, "livestream/show", token: guest.token))
    #expect(joined.status == 201)
    let credentials = try #require(SimulatedStream.credentials(joined))
    let viewer = stream.enter(guest.user, "livestream/show", session: "g", credentials: credentials)
    #expect(viewer.heard.first == "joinResponse" && stream.participants("livestream/show") == ["g"])
    let token = stream.token("!anon", life: .seconds(60), calls: ["livestream:show"])
    let headers = [HTTPField("authorization", token), HTTPField("stream-auth-type", "anonymous")]
    #expect(stream.join("!anon", "livestream/show", headers: headers)?.status == 201)
    viewer.say(#"{"leaveCallRequest":{"sessionId":"g"}}"#)
    stream.world.advance(by: .seconds(1))
    #expect(stream.participants("livestream/show").isEmpty, "gone within a second")
  }
}
