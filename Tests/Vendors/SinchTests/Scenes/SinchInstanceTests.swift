import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@testable import GatewaySinch

@Suite(.onNodes)
struct SinchInstanceTests {
  private let day = Duration.seconds(86_400)

  @Test
  func `an instance is created by the first start of a device, and starts it from then on without credentials`() throws
  {
    let gateway = SimulatedSinch()
    let peer = gateway.connect()
    peer.start()
    #expect(peer.peer.texts == [#"{"type":"credentialsRequired","reason":"first","serverTime":1800000000}"#])
    peer.say(#"{"type":"register","jwt":"\#(gateway.token())"}"#)
    #expect(peer.types == ["credentialsRequired", "userRegistered", "clientStarted"])
    let (id, secret) = try #require(peer.registered)
    #expect(peer.peer.texts[1].contains(#""expiresAt":null"#))
    let again = gateway.connect()
    again.start(instance: id, secret: secret)
    #expect(again.types == ["clientStarted"])
    #expect(gateway.instances().map(\.id.text) == [id])
  }

  @Test
  func `an ended instance is as unknown as one that never existed, for a client without its secret`() throws {
    let gateway = SimulatedSinch()
    let (id, secret) = try #require(gateway.started(life: day * 2).registered)
    gateway.world.advance(by: day * 3)
    for (secret, reason) in [(secret, "expired"), ([1, 2, 3], "unknown_instance")] {
      let peer = gateway.connect()
      peer.start(instance: id, secret: secret)
      #expect(peer.types == ["credentialsRequired"] && peer.last("reason") == reason)
    }
  }

  @Test
  func `an instance is deleted at the client's word before its next message is done`() {
    let gateway = SimulatedSinch()
    for device in ["d1", "d2"] {
      let peer = gateway.started(device: device)
      peer.peer.say(#"{"type":"unregisterPushToken"}"#)
      peer.peer.say(#"{"type":"joinCall","callId":"default:x"}"#)
      peer.say(#"{"type":"terminateGracefully"}"#)
      #expect(peer.types.suffix(2) == ["pushTokenUnregistered", "callJoined"] && peer.closeCode == 1000)
    }
    #expect(gateway.instances().isEmpty)
  }

  @Test
  func
    `an instance starts no client with another signature, an old one, another user or device, or when it is unknown`()
    throws
  {
    let gateway = SimulatedSinch()
    let (id, secret) = try #require(gateway.started().registered)
    let now = gateway.world.wallTime
    let cases: [(String, [UInt8], WallTime, String, [String], String)] = [
      (id, [1, 2], now, "alice", ["clientFailed"], "bad_signature"),
      (id, secret, now - .seconds(301), "alice", ["clientFailed"], "timestamp_out_of_range"),
      (id, secret, now + .seconds(301), "alice", ["clientFailed"], "timestamp_out_of_range"),
      (id, secret, now - .seconds(300), "alice", ["clientStarted"], "-"),
      (id, secret, now, "bob", ["credentialsRequired"], "unknown_instance"),
      ("none", secret, now, "alice", ["credentialsRequired"], "unknown_instance"),
    ]
    for (id, secret, time, user, types, reason) in cases {
      let peer = gateway.connect()
      peer.start(instance: id, secret: secret, at: time, user: user)
      #expect(peer.types == types && peer.last("reason") ?? "-" == reason)
    }
  }

  @Test(arguments: [(8, 7), (30, 7), (7, 1), (2, 1)])
  func `an instance asks to be extended 7 days before its end, or 24 hours if it lasts less than 8 days`(
    days: Int, lead: Int
  ) throws {
    let gateway = SimulatedSinch()
    let first = gateway.started(life: day * days)
    let (id, secret) = try #require(first.registered)
    first.peer.close()
    gateway.world.advance(by: day * (days - lead) - .seconds(1))
    let early = gateway.connect()
    early.start(instance: id, secret: secret)
    #expect(early.types == ["clientStarted"])
    gateway.world.advance(by: .seconds(1))
    let due = gateway.connect()
    due.start(instance: id, secret: secret)
    #expect(due.types == ["credentialsRequired"] && due.last("reason") == "extend")
    due.say(#"{"type":"register","jwt":"\#(gateway.token(life: day * 40))"}"#)
    #expect(due.types == ["credentialsRequired", "userRegistered", "clientStarted"])
    let instances = gateway.instances()
    #expect(instances.map(\.id.text) == [id] && instances[0].endsAt == gateway.world.wallTime + day * 40)
    #expect(!due.peer.texts[1].contains("secret"), "the secret was told once")
    let later = gateway.connect()
    later.start(instance: id, secret: secret)
    #expect(later.types == ["clientStarted"])
  }

  @Test(.long, arguments: [#"{"type":"registerFailed","message":"not now"}"#, #"{"type":"register","jwt":"a.b.c"}"#])
  func `an instance stays until its old end when the extension is declined or refused, and the client starts`(
    answer: String
  ) throws {
    let gateway = SimulatedSinch()
    let (id, secret) = try #require(gateway.started(life: day * 2).registered)
    let end = gateway.world.wallTime + day * 2
    gateway.world.advance(by: day + .seconds(10))
    let peer = gateway.connect()
    peer.start(instance: id, secret: secret)
    #expect(peer.last("reason") == "extend")
    peer.say(answer)
    #expect(peer.types.last == "clientStarted" && gateway.instances().map(\.endsAt) == [end])
    gateway.world.advance(by: day)
    #expect(peer.last("reason") == "expired")
    gateway.world.advance(by: .seconds(60))
    #expect(peer.closeCode == 4000)
    let late = gateway.connect()
    late.start(instance: id, secret: secret)
    #expect(late.last("reason") == "expired" && late.types == ["credentialsRequired"])
  }

  @Test
  func `a declined start fails`() {
    let gateway = SimulatedSinch()
    let peer = gateway.connect()
    peer.start()
    peer.say(#"{"type":"registerFailed"}"#)
    #expect(peer.types == ["credentialsRequired", "clientFailed"] && peer.last("reason") == "declined")
    #expect(peer.peer.texts.last?.contains(#""message":"the client declined to register (registerFailed)""#) == true)
    #expect(peer.peer.texts.last?.contains(#""httpStatus":401,"errorCode":40104"#) == true)
    #expect(peer.closeCode == 4500 && gateway.instances().isEmpty)
  }

  @Test
  func `a limited instance is never unlimited again on that device, not even after its end`() {
    let gateway = SimulatedSinch()
    _ = gateway.started(life: day * 2)
    for wait in [Duration.seconds(1), day * 3] {
      gateway.world.advance(by: wait)
      let peer = gateway.started()
      #expect(peer.types.last == "clientFailed" && peer.last("reason") == "instance_exp_required")
    }
    #expect(gateway.started(device: "d2").types.last == "clientStarted")
    #expect(gateway.started(life: day * 2).types.last == "clientStarted")
  }

  @Test
  func `an instance keeps its id when an operator asks for credentials, even if the client declines`() throws {
    let gateway = SimulatedSinch()
    let peer = gateway.started()
    let (id, _) = try #require(peer.registered)
    for answer in [#"{"type":"register","jwt":"\#(gateway.token())"}"#, #"{"type":"registerFailed"}"#] {
      _ = gateway.order { try? await $0.control(UserID("alice"), .askForRefresh) }
      gateway.world.settle()
      #expect(peer.last("reason") == "extend")
      peer.say(answer)
      gateway.world.advance(by: .seconds(100))
      #expect(peer.isOpen && gateway.instances().map(\.id.text) == [id])
    }
  }

  @Test
  func `an instance must be extended when the gateway asks before its end, and has the timeout from then on`() throws {
    let gateway = SimulatedSinch(try SessionPolicy(refreshLead: .seconds(100)))
    let peer = gateway.started(life: day * 2)
    gateway.world.advance(by: day * 2 - .seconds(100))
    #expect(peer.last("reason") == "extend")
    peer.say(#"{"type":"register","jwt":"\#(gateway.token(life: day * 3))"}"#)
    #expect(peer.types.last == "userRegistered" && !peer.peer.texts.last!.contains("secret"))
  }

  @Test
  func `a revoked instance and its credentials are unknown over HTTP`() throws {
    let gateway = SimulatedSinch()
    let token = gateway.token()
    gateway.world.advance(by: .seconds(5))
    let now = gateway.world.wallTime
    _ = gateway.order { try? await $0.revoke(.user(UserID("alice"), issuedBefore: now)) }
    let path = "/sinch/v1/applications/app/users/alice/instances"
    let answer = try #require(gateway.fetch("POST", path, body: #"{"deviceId":"d1","jwt":"\#(token)"}"#))
    #expect(answer.status == 401 && String(decoding: answer.body, as: UTF8.self).contains("1104"))
    #expect(gateway.instances().isEmpty)
    for _ in 0..<2 {
      let peer = gateway.connect()
      peer.start()
      peer.say(#"{"type":"register","jwt":"\#(token)"}"#)
      // Not as one with a used nonce.
      #expect(peer.types.last == "clientFailed" && peer.peer.texts.last!.contains(#""reason":"token_revoked""#))
    }
    #expect(gateway.instances().isEmpty)
    let fresh = gateway.fetch("POST", path, body: #"{"deviceId":"d1","jwt":"\#(gateway.token())"}"#)
    #expect(fresh?.status == 201)
  }

  @Test(.long)
  func `an instance extended over HTTP keeps its connection`() throws {
    let gateway = SimulatedSinch()
    let peer = gateway.started(life: day * 2)
    let (id, _) = try #require(peer.registered)
    gateway.world.advance(by: day)
    let answer = gateway.fetch(
      "POST", "/sinch/v1/applications/app/users/alice/instances",
      body: #"{"deviceId":"d1","instanceId":"\#(id)","jwt":"\#(gateway.token(life: day * 5))"}"#)
    #expect(answer?.status == 200)
    gateway.world.advance(by: day * 4)
    #expect(peer.isOpen && peer.types.count == 3)
    gateway.world.advance(by: day)
    #expect(peer.last("reason") == "expired")
  }

  @Test
  func `an operator's expiry ends the registration, declining leaves the timeout, and registering makes another`()
    throws
  {
    let gateway = SimulatedSinch()
    let peer = gateway.started()
    let (id, _) = try #require(peer.registered)
    _ = gateway.order { try? await $0.control(UserID("alice"), .expireNow) }
    gateway.world.settle()
    #expect(peer.last("reason") == "expired")
    peer.say(#"{"type":"registerFailed"}"#)
    #expect(peer.types.last == "error" && peer.last("reason") == "declined")
    peer.say(#"{"type":"register","jwt":"\#(gateway.token())"}"#)
    #expect(peer.types.last == "userRegistered" && peer.registered?.id != id)
  }

  @Test
  func `only an accepted request uses up a nonce, and a setting allows its replay`() {
    for replay in SinchNonceReplay.allCases {
      let gateway = SimulatedSinch { $0.tokens.nonceReplay = replay }
      let token = gateway.token()
      let stranger = gateway.connect()
      stranger.start("bob")
      stranger.say(#"{"type":"register","jwt":"\#(token)"}"#)
      #expect(stranger.last("reason") == "user_mismatch")
      for device in ["d1", "d1", "d2"] {
        let isFirst = gateway.instances().isEmpty
        let peer = gateway.connect()
        peer.start(device: device, #","jwt":"\#(token)""#)
        let isGood = isFirst || replay == .allow || (replay == .sameDevice && device == "d1")
        #expect(peer.types.last == (isGood ? "clientStarted" : "clientFailed"))
        if !isGood { #expect(peer.last("reason") == "nonce_reused") }
      }
    }
  }

  @Test
  func `a used nonce is refused after the gateway's clock went ahead of its expiry and back`() throws {
    let gateway = SimulatedSinch(takesFaults: true)
    let token = gateway.token()
    let first = gateway.connect()
    first.start("alice", #","jwt":"\#(token)""#)
    #expect(first.types.last == "clientStarted")
    gateway.world.advance(by: .seconds(1))
    try gateway.space.fail(#"{"fault": "gateway_clock", "ahead_s": 86400, "for_s": 60}"#)
    // Each commit removes expired rows.
    for number in 0..<40 {
      let peer = gateway.connect()
      peer.start("u\(number)", #","jwt":"\#(gateway.token("u\(number)", ahead: .seconds(86_400)))""#)
      #expect(peer.types.last == "clientStarted")
    }
    gateway.world.advance(by: .seconds(60))
    let again = gateway.connect()
    again.start("alice", #","jwt":"\#(token)""#)
    #expect(again.types.last == "clientFailed" && again.last("reason") == "nonce_reused")
  }

  @Test
  func `one stored token answers a second request if the same device may replay it`() throws {
    let gateway = SimulatedSinch { $0.tokens.nonceReplay = .sameDevice }
    let token = gateway.token()
    let peer = gateway.connect()
    peer.start()
    peer.say(#"{"type":"register","jwt":"\#(token)"}"#)
    _ = gateway.order { try? await $0.control(UserID("alice"), .askForRefresh) }
    gateway.world.settle()
    peer.say(#"{"type":"register","jwt":"\#(token)"}"#)
    #expect(peer.types.last == "userRegistered")
  }

  @Test
  func `an instance registers by legacy signature and ticket too, and the sequence rises`() {
    let gateway = SimulatedSinch()
    let user = UserID("alice")
    func signature(_ sequence: UInt64) -> String {
      let text = SinchMobileSignature.sign(
        user: user, application: SimulatedSinch.application, sequence: sequence, secret: SimulatedSinch.secret)
      return #"{"type":"register","signature":"\#(text)","sequence":"#
    }
    let ticket = SinchUserTicket.mint(
      user: user, application: SimulatedSinch.application, secret: SimulatedSinch.secret,
      createdAt: gateway.world.wallTime, life: .seconds(3_600))
    for (text, isGood) in [
      (signature(1) + "1}", true), (signature(1) + "1}", false), (signature(3) + "\"3\"}", true),
      (signature(2) + "2}", false), (signature(9) + "10}", false), (signature(1 << 63) + "9223372036854775808}", true),
      (signature(.max - 1) + "\"\(UInt64.max - 1)\"}", true), (signature(.max) + "\(UInt64.max)}", true),
      (#"{"type":"register","ticket":"\#(ticket)"}"#, true), (#"{"type":"register","ticket":"\#(ticket)"}"#, true),
    ] {
      let peer = gateway.connect()
      peer.start()
      peer.say(text)
      #expect(peer.types.last == (isGood ? "clientStarted" : "clientFailed"))
    }
    let modern = SimulatedSinch { $0.offersLegacy = false }
    let peer = modern.connect()
    peer.start()
    peer.say(signature(1) + "1}")
    #expect(peer.types.last == "clientFailed")
  }

  @Test
  func `an instance registers by the mobile SDKs' own path with a sequence of 64 bits, as a number or as a string`()
    throws
  {
    let gateway = SimulatedSinch()
    func register(_ sequence: UInt64, _ seed: String) -> Int? {
      let signature = SinchMobileSignature.sign(
        user: UserID("alice"), application: SimulatedSinch.application, sequence: sequence,
        secret: SimulatedSinch.secret)
      let body =
        #"{"ApplicationKey":"app","UserId":"alice","DeviceId":"d1","Signature":"\#(signature)","Seed":\#(seed)}"#
      return gateway.fetch("POST", "/V2/Instance", body: body)?.status
    }
    #expect(register(1, "1") == 200 && register(2, "\"2\"") == 200)
    #expect(register(1 << 63, "9223372036854775808") == 200)
    #expect(register(.max, "18446744073709551615") == 200)
    for seed in ["18446744073709551616", "-1", "1.0", "true", "null", "[]", "{\"a\":1}"] {
      #expect(register(.max, seed) == 400)
    }
  }

  @Test
  func `an instance ends when the device unregisters its push token, and a termination closes it properly`() throws {
    let gateway = SimulatedSinch()
    let peer = gateway.started()
    let (id, secret) = try #require(peer.registered)
    peer.say(#"{"type":"unregisterPushToken"}"#)
    #expect(peer.types.last == "pushTokenUnregistered" && gateway.instances().isEmpty && peer.isOpen)
    peer.say(#"{"type":"terminateGracefully"}"#)
    #expect(peer.closeCode == 1000)
    let again = gateway.connect()
    again.start(instance: id, secret: secret)
    #expect(again.last("reason") == "unknown_instance")
  }

  @Test
  func `errors name the failed check in the explaining mode only`() {
    let gateway = SimulatedSinch { $0.explains = false }
    let peer = gateway.connect()
    peer.start(application: "other")
    #expect(
      peer.peer.texts == [
        #"{"type":"clientFailed","error":{"httpStatus":401,"errorCode":40107,"domain":"generic","#
          + #""message":"Invalid authorization","retryable":false}}"#
      ])
  }

  @Test(arguments: [
    ("", "malformed_message"), ("[]", "malformed_message"), ("{}", "malformed_message"),
    (#"{"type":7}"#, "malformed_message"), (#"{"type":"x"}"#, "unknown_type"),
    (#"{"type":"start"}"#, "invalid_parameter"), (#"{"type":"register"}"#, "invalid_parameter"),
    (#"{"type":"register","jwt":""}"#, "invalid_parameter"),
    (#"{"type":"register","jwt":"a","ticket":"b"}"#, "invalid_parameter"),
    (#"{"type":"register","signature":"a"}"#, "invalid_parameter"),
    (#"{"type":"register","signature":"a","sequence":-1}"#, "invalid_parameter"),
    (#"{"type":"register","signature":"a","sequence":1.5}"#, "invalid_parameter"),
    (#"{"type":"register","signature":"a","sequence":"01"}"#, "invalid_parameter"),
    (#"{"type":"register","signature":"a","sequence":99999999999999999999}"#, "invalid_parameter"),
    (#"{"type":"register","signature":"a","sequence":1e999}"#, "malformed_message"),
    (#"{"type":"register","jwt":"a.b.c"}"#, "malformed_request"),
    (#"{"type":"registerFailed"}"#, "malformed_request"),
    (#"{"type":"start","applicationKey":"app","userId":"a","deviceId":"d","instance":{}}"#, "invalid_parameter"),
    (#"{"type":"start","applicationKey":"app","userId":"a","deviceId":""}"#, "invalid_parameter"),
    (#"{"type":"joinCall","callId":"x"}"#, "invalid_parameter"),
  ])
  func `stray messages are answered, and end nothing by themselves`(text: String, reason: String) {
    let gateway = SimulatedSinch()
    let peer = gateway.connect()
    peer.say(text)
    #expect(peer.types == ["error"] && peer.last("reason") == reason)
    peer.start()
    peer.say(#"{"type":"register","jwt":"\#(gateway.token())"}"#)
    #expect(peer.types.last == "clientStarted")
    peer.start()
    #expect(peer.types.last == "error" && peer.isOpen)
  }

  @Test
  func `a binary frame ends the connection with 1003`() {
    let peer = SimulatedSinch().connect()
    peer.peer.say(Frame(.binary, [1]))
    peer.world.settle()
    #expect(peer.closeCode == 1003)
  }
}
