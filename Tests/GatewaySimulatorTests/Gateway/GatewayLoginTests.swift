import GatewayCore
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

struct GatewayLoginTests {
  private let gateway: SimulatedGateway

  init() throws {
    gateway = try SimulatedGateway()
  }

  private static let loggedIn = ["connected"]

  /// Returns the `type` of every message, shortened.
  private func types(_ peer: SimulatedPeer) -> [String] {
    peer.texts.map { String($0.dropFirst(#"{"type":""#.count).prefix { $0 != "\"" }) }
  }

  @Test
  func `a client is connected by Authorization, by access_token or by its first message`() throws {
    let token = gateway.token()
    let header = gateway.connect(token)
    let query = gateway.dial(query: [HTTPField("access_token", token.token)])
    let message = gateway.connect()
    #expect(message.texts.isEmpty)
    message.say(#"{"type":"connect","id":"1","token":"\#(token.token)"}"#)
    gateway.world.settle()
    for peer in [header, query, message] { #expect(types(peer) == Self.loggedIn) }
    #expect(message.texts[0].contains(#""id":"1""#))
    #expect(
      header.texts[0].contains(
        #""connection_id":"conn_0_1","user_id":"ann","user_kind":"regular","expires_in_ms":3600000"#))
    #expect(query.texts[0].contains("conn_1_1"), "the second connection is the other loop's")
    #expect(gateway.connectionCount == 3)
    #expect(gateway.order { await $0.isConnected(UserID("ann")) } == true)
  }

  @Test
  func `a client with an opaque token is connected when the directory has answered`() {
    let token = gateway.opaqueToken(UserID("bob"), .regular, life: .seconds(60))
    let peer = gateway.connect(token)
    #expect(types(peer) == Self.loggedIn)
    #expect(peer.texts[0].contains(#""user_id":"bob""#))
    gateway.world.advance(by: .seconds(120))
    #expect(peer.ending?.code == 4000)
  }

  @Test
  func `an anonymous client gets no socket, but 403 before the upgrade or an error and a close after it`() throws {
    let token = gateway.token("!anon", .anonymous, calls: ["default:standup"])
    #expect(gateway.connect(token).refusal == .refused(status: 403))
    let byMessage = gateway.connect()
    byMessage.say(gateway.dialect.encode(.connect(token)))
    gateway.world.settle()
    #expect(gateway.notices(byMessage) == [.error(number: 403_001, name: "anonymous_refused")])
    #expect(byMessage.ending?.code == 4501)
    let opaque = gateway.connect(gateway.opaqueToken(.anonymous, .anonymous, life: .seconds(60)))
    #expect(opaque.ending?.code == 4501)
    #expect(gateway.connectionCount == 0)
  }

  @Test
  func `a client with a bad token is refused with 401 before the upgrade, or with 4500 after it`() {
    let bad = Credentials(token: gateway.token().token + "x")
    #expect(gateway.connect(bad).refusal == .refused(status: 401))
    let peer = gateway.connect()
    peer.say(gateway.dialect.encode(.connect(bad)))
    gateway.world.settle()
    #expect(gateway.notices(peer) == [.error(number: 401_004, name: "signature_invalid")])
    #expect(peer.ending?.code == 4500)
  }

  @Test
  func `a silent client is disconnected when the login timeout passes, on the tick`() throws {
    let peer = gateway.connect()
    gateway.world.advance(by: .seconds(10) - .nanoseconds(1))
    #expect(peer.ending == nil)
    gateway.world.advance(by: .nanoseconds(1))
    #expect(gateway.notices(peer) == [.error(number: 800_101, name: "connection_required")])
    let ending = try #require(peer.ending)
    #expect(ending.code == 4001 && ending.name == "login_timeout")
    #expect(gateway.connectionCount == 0)
  }

  @Test
  func `a command before authentication gets 800101, over the socket and over HTTP`() throws {
    let peer = gateway.connect()
    for (operation, rest) in [("join", ""), ("leave", ""), ("publish", #","content":1"#)] {
      peer.say(#"{"type":"\#(operation)","id":"7","cid":"default:standup"\#(rest)}"#)
    }
    gateway.world.settle()
    #expect(gateway.notices(peer) == Array(repeating: .error(number: 800_101, name: "connection_required"), count: 3))
    #expect(peer.texts.allSatisfy { $0.contains(#""id":"7""#) })
    let response = try #require(try gateway.fetch("POST", "/v1/calls/default/standup", token: gateway.token())?.get())
    #expect(response.status == 409)
    #expect(String(decoding: response.body, as: UTF8.self).contains("800101"))
  }

  @Test
  func `a guest joins calls with a token requested over HTTP`() throws {
    let response = try #require(try gateway.fetch("POST", "/v1/guests", body: "{}")?.get())
    #expect(response.status == 201)
    let token = try #require(gateway.dialect.token(in: HTTPResponse(status: 200, body: response.body)))
    let peer = gateway.connect(token)
    peer.say(#"{"type":"join","cid":"default:standup"}"#)
    gateway.world.settle()
    #expect(types(peer) == ["connected", "joined"])
    #expect(peer.texts[0].contains(#""user_kind":"guest""#))
  }

  @Test
  func `a client waits while its token is verified, and is disconnected if that takes too long`() throws {
    let gateway = try SimulatedGateway(judgement: .seconds(4))
    let patient = gateway.connect(gateway.token())
    gateway.world.advance(by: .seconds(1))
    patient.say(gateway.dialect.encode(.connect(gateway.token("bob"))))
    patient.say(#"{"type":"join","cid":"default:standup"}"#)
    gateway.world.advance(by: .seconds(3))
    #expect(
      gateway.notices(patient).prefix(2) == [
        .error(number: 400_005, name: "already_in_progress"), .error(number: 800_101, name: "connection_required"),
      ])
    #expect(patient.texts.last?.contains(#""user_id":"ann""#) == true)

    let slow = try SimulatedGateway(judgement: .seconds(11))
    let late = slow.connect(slow.token())
    slow.world.advance(by: .seconds(10))
    #expect(late.ending?.code == 4001)
    slow.world.advance(by: .seconds(10))
    #expect(slow.connectionCount == 0, "the answer that came too late changes nothing")
    #expect(slow.notices(late).count == 1)
  }

  @Test
  func `a client is told what is wrong with its messages, but only a few times`() {
    let peer = gateway.connect(gateway.token())
    for _ in 0..<7 { peer.say(gateway.dialect.encode(.garbage)) }
    peer.say(gateway.dialect.encode(.ping))
    for _ in 0..<8 { peer.say(#"{"type":"nonsense"}"#) }
    gateway.world.settle()
    let numbers = gateway.notices(peer).compactMap { if case .error(let number, _) = $0 { number } else { nil } }
    #expect(numbers == Array(repeating: 400_001, count: 7) + Array(repeating: 400_002, count: 8))
    #expect(peer.ending?.code == 4502)
  }

  @Test
  func `a client that breaks the transport's rules is closed with the transport's code`() {
    let endings =
      [
        (1003, { (peer: SimulatedPeer) in peer.say(Frame(.binary, [1, 2, 3])) }),
        (1009, { $0.say(String(repeating: "x", count: 70_000)) }), (1002, { $0.violate(.protocolError) }),
        (1000, { $0.close() }), (nil, { $0.abort() }),
      ] as [(UInt16?, (SimulatedPeer) -> Void)]
    for (code, act) in endings {
      let peer = gateway.connect(gateway.token())
      act(peer)
      gateway.world.settle()
      #expect(peer.ending?.code == code)
    }
    #expect(gateway.connectionCount == 0)
    #expect(gateway.order { await $0.isConnected(UserID("ann")) } == false)
  }
}
