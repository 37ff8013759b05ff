import GatewayCore
import GatewayJSON
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport
import TestTraits
import Testing

@testable import GatewaySinch

@Suite(.onNodes)
struct SinchGateTests {
  @Test
  func `anonymous users get no socket, by their name or by their token`() {
    let gateway = SimulatedSinch()
    let named = gateway.connect()
    named.start("!anon")
    #expect(named.types == ["clientFailed"] && named.last("reason") == "anonymous_refused")
    #expect(named.closeCode == 4501)
    let marked = gateway.connect()
    marked.start("visitor")
    marked.say(#"{"type":"register","jwt":"\#(gateway.token("visitor", .anonymous))"}"#)
    #expect(marked.types == ["credentialsRequired", "userRegistrationFailed", "clientFailed"])
    #expect(marked.closeCode == 4501 && gateway.instances(of: "visitor").isEmpty)
  }

  @Test(arguments: [
    #"{"type":"joinCall","callId":"default:a"}"#, #"{"type":"leaveCall","callId":"default:a"}"#,
    #"{"type":"terminateGracefully"}"#, #"{"type":"unregisterPushToken"}"#,
  ])
  func `an operation before the login gets 800101`(text: String) {
    let peer = SimulatedSinch().connect()
    peer.say(text)
    #expect(
      peer.peer.texts == [
        #"{"type":"error","error":{"httpStatus":409,"errorCode":800101,"reason":"connection_required","#
          + #""domain":"generic","message":"connect and authenticate first","retryable":false}}"#
      ])
    peer.start()
    peer.say(text)
    #expect(peer.types == ["error", "credentialsRequired", "error"] && peer.isOpen)
  }

  @Test(arguments: [false, true])
  func `a client that does not register is disconnected when the login timeout passes, asked or not`(starts: Bool) {
    let gateway = SimulatedSinch()
    let peer = gateway.connect()
    if starts { peer.start() }
    gateway.world.advance(by: .seconds(9))
    #expect(peer.isOpen)
    gateway.world.advance(by: .seconds(1))
    #expect(peer.closeCode == 4001 && peer.last("reason") == "connection_required")
  }

  @Test(.long)
  func `credentials are asked for when the registration ends during a session, and new ones keep the connection`() {
    let gateway = SimulatedSinch()
    let peer = gateway.started(life: .seconds(172_800))
    gateway.world.advance(by: .seconds(172_800) - .nanoseconds(1))
    #expect(peer.types == ["credentialsRequired", "userRegistered", "clientStarted"])
    let first = peer.registered
    gateway.world.advance(by: .nanoseconds(1))
    #expect(peer.last("reason") == "expired")
    #expect(
      peer.peer.texts.last
        == #"{"type":"credentialsRequired","reason":"expired","serverTime":1800172800,"timeoutMs":60000}"#)
    gateway.world.advance(by: .seconds(59))
    peer.say(#"{"type":"register","jwt":"\#(gateway.token(life: .seconds(200_000)))"}"#)
    #expect(peer.types.suffix(2) == ["credentialsRequired", "userRegistered"])
    #expect(peer.registered?.id != first?.id, "what has ended is deleted")
    gateway.world.advance(by: .seconds(100_000))
    #expect(peer.isOpen && peer.types.count == 5)
  }

  @Test
  func `a client that misses the timeout is disconnected, whatever it sent in between`() {
    let gateway = SimulatedSinch()
    let peer = gateway.started(life: .seconds(172_800))
    gateway.world.advance(by: .seconds(172_800))
    for answer in [
      #"{"type":"register","jwt":"\#(gateway.token("bob"))"}"#, #"{"type":"register","jwt":"x.y.z"}"#,
      #"{"type":"register","jwt":"\#(gateway.token())"}"#, #"{"type":"registerFailed"}"#,
    ] { peer.say(answer) }
    #expect(
      peer.types.suffix(4) == ["userRegistrationFailed", "userRegistrationFailed", "userRegistrationFailed", "error"])
    gateway.world.advance(by: .seconds(59))
    #expect(peer.isOpen)
    gateway.world.advance(by: .seconds(1))
    #expect(peer.closeCode == 4000)
  }

  @Test
  func `a revocation asks for other credentials or closes, and earlier registrations start no client`() throws {
    for action in [SessionPolicy.RevocationAction.refresh, .close] {
      let gateway = SimulatedSinch(try SessionPolicy(revocation: action))
      let peer = gateway.started()
      let (id, secret) = try #require(peer.registered)
      gateway.world.advance(by: .seconds(5))
      let now = gateway.world.wallTime
      #expect(gateway.order { try? await $0.revoke(.user(UserID("alice"), issuedBefore: now)) } == 1)
      gateway.world.settle()
      #expect(action == .close ? peer.closeCode == 4004 : peer.last("reason") == "unknown_instance")
      let again = gateway.connect()
      again.start(instance: id, secret: secret)
      #expect(again.types == ["clientFailed"] && again.peer.texts[0].contains(#""errorCode":1104"#))
      let fresh = gateway.started()
      #expect(fresh.types.last == "clientStarted")
    }
  }

  @Test
  func `a client whose instance is unknown gets another with its secret, over the socket and over HTTP`() throws {
    let path = "/sinch/v1/applications/app/users/alice/instances"
    for isHTTP in [false, true] {
      let gateway = SimulatedSinch()
      let peer = gateway.started()
      let (old, _) = try #require(peer.registered)
      gateway.world.advance(by: .seconds(5))
      let now = gateway.world.wallTime
      #expect(gateway.order { try? await $0.revoke(.user(UserID("alice"), issuedBefore: now)) } == 1)
      gateway.world.settle()
      #expect(peer.last("reason") == "unknown_instance")
      gateway.world.advance(by: .seconds(1))
      let jwt = #""jwt":"\#(gateway.token())""#
      var made: (id: String, secret: [UInt8])?
      if isHTTP {
        let answer = try #require(
          gateway.fetch("POST", path, body: #"{"deviceId":"d1","instanceId":"\#(old)",\#(jwt)}"#))
        #expect(answer.status == 201)
        let json = try JSONDocument.parse(answer.body).root
        made = (json["id"]?.string ?? "", json["secret"]?.string.flatMap(Base64.decode) ?? [])
      } else {
        peer.say(#"{"type":"register",\#(jwt)}"#)
        #expect(peer.types.last == "userRegistered")
        made = peer.registered
      }
      let (id, secret) = try #require(made)
      #expect(id != old && secret.count == 32)
      #expect(gateway.instances().map(\.id.text) == [id])
      gateway.world.advance(by: .seconds(3_600))
      #expect(peer.isOpen, "the connection goes on with the new instance")
      let again = gateway.connect()
      again.start(instance: id, secret: secret)
      #expect(again.types == ["clientStarted"])
    }
  }

  @Test
  func `a legacy web renewal of a revoked instance is not found, so that the client forgets it`() throws {
    let gateway = SimulatedSinch()
    func ticket() -> String {
      SinchUserTicket.mint(
        user: UserID("alice"), application: SimulatedSinch.application, secret: SimulatedSinch.secret,
        createdAt: gateway.world.wallTime, life: .seconds(3_600))
    }
    func ask(_ method: String, _ path: String) -> HTTPResponse? {
      gateway.fetch(
        method, path,
        headers: [
          HTTPField("authorization", "user \(ticket())"),
          HTTPField("x-timestamp", SinchCalendar.text(gateway.world.wallTime)),
        ], body: "{}")
    }
    let made = try #require(ask("POST", "/instance"))
    let id = try #require(try JSONDocument.parse(made.body).root["id"]?.string)
    #expect(ask("PUT", "/instances/id/\(id)/authorization")?.status == 200)
    gateway.world.advance(by: .seconds(5))
    let now = gateway.world.wallTime
    _ = gateway.order { try? await $0.revoke(.user(UserID("alice"), issuedBefore: now)) }
    gateway.world.advance(by: .seconds(1))
    let gone = try #require(ask("PUT", "/instances/id/\(id)/authorization"))
    #expect(gone.status == 404 && String(decoding: gone.body, as: UTF8.self).contains("40400"))
    #expect(ask("POST", "/instance")?.status == 200)
  }

  // MARK: Guests and strangers

  @Test
  func `guests of one address are limited per minute, and their registrations expire`() throws {
    let gateway = SimulatedSinch { $0.guestsPerMinute = 3 }
    func make() -> HTTPResponse? { gateway.fetch("POST", "/sinch/v1/applications/app/guests") }
    let first = try #require(make())
    #expect(first.status == 201 && make()?.status == 201 && make()?.status == 201)
    let refused = try #require(make())
    #expect(refused.status == 429 && String(decoding: refused.body, as: UTF8.self).contains("42900"))
    gateway.world.advance(by: .seconds(20))
    #expect(make()?.status == 201)
    let guest = try JSONDocument.parse(first.body).root
    let (user, jwt) = (guest["userId"]?.string ?? "", guest["jwt"]?.string ?? "")
    let peer = gateway.connect()
    peer.start(user, #","jwt":"\#(jwt)""#)
    #expect(peer.types == ["userRegistered", "clientStarted"])
    gateway.world.advance(by: .seconds(86_400))
    #expect(peer.last("reason") == "expired")
  }

  @Test
  func `passwords may be tried three times, whatever application is named, with a limit in a minute for an address`()
    throws
  {
    let gateway = SimulatedSinch { settings in
      settings.applications = SinchApplications(any: SimulatedSinch.secret)
      settings.passwords = ["carol": Credentials(token: "right"), "dave": Credentials(token: "right")]
      settings.passwordsPerMinute = 10
    }
    func guess(_ password: String, _ user: String, _ application: String) throws -> String {
      let answer = try #require(
        gateway.fetch(
          "POST", "/users/username/\(user)/authentication",
          headers: [HTTPField("authorization", "application \(application)")], body: #"{"password":"\#(password)"}"#))
      return try JSONDocument.parse(answer.body).root["reason"]?.string ?? "\(answer.status)"
    }
    for application in ["a", "b", "c"] { #expect(try guess("wrong", "carol", application) == "wrong_password") }
    #expect(try guess("right", "carol", "d") == "account_locked")
    #expect(try guess("right", "dave", "a") == "200")
    for _ in 0..<5 { _ = try guess("wrong", "nobody", "a") }
    #expect(try guess("right", "dave", "a") == "too_many")
    gateway.world.advance(by: .seconds(300))
    #expect(try guess("right", "carol", "a") == "200")
  }
}
