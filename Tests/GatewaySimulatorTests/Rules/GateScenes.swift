import GatewayCore
import GatewayJSON
import GatewayRuntime
import GatewaySendbird
import GatewaySimulator
import GatewayStream
import TestSupport

// The dialects' clients at the gate.

struct PlainScene: GateScene {
  private let plain: SimulatedGateway

  init(_ session: SessionPolicy) throws {
    plain = try SimulatedGateway(GatewayConfiguration(session: session, pingInterval: nil))
  }

  var world: SimulatedWorld { plain.world }
  var gateway: Gateway { plain.gateway }

  func anonymous() -> SimulatedPeer {
    plain.connect(plain.token("!anon", .anonymous, calls: ["default:lobby"]))
  }

  func guest() -> SimulatedPeer? {
    guard case .success(let answer)? = plain.fetch("POST", "/v1/guests", body: #"{"name":"zoe"}"#),
      let token = answer.member("token")
    else { return nil }
    return plain.connect(Credentials(token: token))
  }

  func joins(_ guest: SimulatedPeer) -> Bool {
    say(#"{"type":"join","cid":"default:lobby"}"#, guest)
    return guest.count(#""type":"joined""#) == 1
  }

  func operationWithoutConnection() -> String {
    let peer = plain.connect()
    say(#"{"type":"join","cid":"default:lobby"}"#, peer)
    return peer.texts.last ?? ""
  }

  func connect(_ user: String) -> SimulatedPeer { plain.connect(plain.token(user, life: Self.life)) }
  func isLoggedIn(_ peer: SimulatedPeer) -> Bool { peer.count(#""type":"connected""#) == 1 }
  func asks(_ peer: SimulatedPeer) -> Int { peer.count(#""type":"refresh_required""#) }

  func renew(_ user: String, _ peer: SimulatedPeer) -> SimulatedPeer {
    say(#"{"type":"refresh","token":"\#(plain.token(user, life: Self.life).token)"}"#, peer)
    return peer
  }
}

struct StreamScene: GateScene {
  private let stream: SimulatedStream
  private let kind: StreamDialect.Kind

  init(_ session: SessionPolicy, _ kind: StreamDialect.Kind) throws {
    stream = try SimulatedStream(session: session)
    self.kind = kind
  }

  var world: SimulatedWorld { stream.world }
  var gateway: Gateway { stream.gateway }

  func anonymous() -> SimulatedPeer {
    let expiry = world.wallTime.nanoseconds / 1_000_000_000 + 600
    let claims = #"{"user_id":"!anon","exp":\#(expiry),"call_cids":["default:lobby"]}"#
    return stream.connect(stream.token(claims: claims), as: "!anon", on: kind)
  }

  func guest() -> SimulatedPeer? {
    let answer = stream.fetch("POST", "/video/guest", body: #"{"user":{"id":"zoe"}}"#)
    guard let token = answer?.member("access_token"), let id = answer.flatMap(Self.userID) else { return nil }
    return stream.connect(token, as: id, on: kind)
  }

  private static func userID(_ answer: HTTPResponse) -> String? {
    (try? JSONDocument.parse(answer.body).root)?["user"]?["id"]?.string
  }

  func joins(_ guest: SimulatedPeer) -> Bool {
    guard let first = guest.texts.first, let welcome = try? JSONDocument.parse(first, sizeMax: 1 << 20).root,
      let connection = welcome["connection_id"]?.string, let id = welcome["me"]?["id"]?.string
    else { return false }
    let answer = stream.fetch(
      "POST", "/video/call/default/lobby/join", token: stream.token(id),
      query: [HTTPField("connection_id", connection)], body: #"{"location":"FRA","create":true}"#)
    return answer?.status == 201
  }

  func operationWithoutConnection() -> String {
    let answer = stream.fetch("POST", "/video/call/default/lobby", body: "{}", headers: [])
    return answer.map { String(decoding: $0.body, as: UTF8.self) } ?? ""
  }

  func connect(_ user: String) -> SimulatedPeer {
    stream.connect(stream.token(user, life: Self.life), as: user, on: kind)
  }

  func isLoggedIn(_ peer: SimulatedPeer) -> Bool {
    peer.texts.first.map { $0.contains(#""me":"#) && !$0.contains(#""error":"#) } ?? false
  }

  func asks(_ peer: SimulatedPeer) -> Int { peer.count(#""code":40"#) }

  /// Stream's clients connect anew.
  func renew(_ user: String, _ peer: SimulatedPeer) -> SimulatedPeer { connect(user) }
}

struct SendbirdScene: GateScene {
  private let sendbird: SimulatedSendbird

  init(_ session: SessionPolicy) throws {
    sendbird = try SimulatedSendbird(policy: session) { settings in
      settings.usersWithoutToken = .readOnly
      // The vendor lets a living key act without a socket; the rule is kept where that is asked for.
      settings.needsConnectionOverHTTP = true
      // Asked at the end, not ahead of it, as the others are.
      settings.expiryLead = .zero
      // Else the session ends before the token does, and its client need not stay silent for two days.
      settings.sessionLife = Self.life * 2
      settings.pingInterval = .seconds(1_000_000)
    }
    _ = sendbird.serve("POST", "/v3/open_channels", #"{"channel_url":"lobby","name":"Lobby"}"#)
  }

  var world: SimulatedWorld { sendbird.world }
  var gateway: Gateway { sendbird.gateway }

  /// Who says neither a name nor a key is nobody.
  func anonymous() -> SimulatedPeer { sendbird.connect([:]) }

  /// Who has never been given a token gets in by name, to read.
  func guest() -> SimulatedPeer? { sendbird.connect(["user_id": "zoe"]) }

  func joins(_ guest: SimulatedPeer) -> Bool {
    say(#"ENTR{"channel_url":"lobby","req_id":"1"}"# + "\n", guest)
    return guest.last("participant_count", of: "ENTR") == "1"
  }

  func operationWithoutConnection() -> String {
    let peer = connect("bob")
    peer.close()
    world.settle()
    let answer = sendbird.fetch("GET", "/v3/users/bob/my_group_channels", ["session-key": peer.sessionKey])
    return String(decoding: answer.body, as: UTF8.self)
  }

  func connect(_ user: String) -> SimulatedPeer {
    sendbird.connect([
      "user_id": user, "access_token": sendbird.sessionToken(user, life: Self.life), "expiring_session": "1",
    ])
  }

  func isLoggedIn(_ peer: SimulatedPeer) -> Bool { !peer.sessionKey.isEmpty }
  func asks(_ peer: SimulatedPeer) -> Int { peer.count("EXPR{") }

  func renew(_ user: String, _ peer: SimulatedPeer) -> SimulatedPeer {
    let token = sendbird.sessionToken(user, life: Self.life)
    say(#"LOGI{"token":"\#(token)","expiring_session":1,"req_id":"r"}"# + "\n", peer)
    return peer
  }
}

struct SinchScene: GateScene {
  private let sinch: SimulatedSinch

  init(_ session: SessionPolicy) {
    sinch = SimulatedSinch(session)
  }

  var world: SimulatedWorld { sinch.world }
  var gateway: Gateway { sinch.gateway }

  func anonymous() -> SimulatedPeer {
    let peer = sinch.connect()
    peer.start("!anon")
    return peer.peer
  }

  func guest() -> SimulatedPeer? {
    guard let answer = sinch.fetch("POST", "/sinch/v1/applications/app/guests"), let user = answer.member("userId"),
      let token = answer.member("jwt")
    else { return nil }
    let peer = sinch.connect()
    peer.start(user, #","jwt":"\#(token)""#)
    return peer.peer
  }

  func joins(_ guest: SimulatedPeer) -> Bool {
    say(#"{"type":"joinCall","callId":"default:lobby"}"#, guest)
    return guest.count(#""type":"callJoined""#) == 1
  }

  func operationWithoutConnection() -> String {
    let peer = sinch.connect()
    peer.say(#"{"type":"joinCall","callId":"default:lobby"}"#)
    return peer.peer.texts.last ?? ""
  }

  func connect(_ user: String) -> SimulatedPeer { sinch.started(user, life: Self.life).peer }
  func isLoggedIn(_ peer: SimulatedPeer) -> Bool { peer.count(#""type":"clientStarted""#) == 1 }

  /// After the one that the login needs.
  func asks(_ peer: SimulatedPeer) -> Int { max(0, peer.count(#""type":"credentialsRequired""#) - 1) }

  func renew(_ user: String, _ peer: SimulatedPeer) -> SimulatedPeer {
    say(#"{"type":"register","jwt":"\#(sinch.token(user, life: Self.life))"}"#, peer)
    return peer
  }
}

struct StreemScene: GateScene {
  private let streem: SimulatedStreem

  init(_ session: SessionPolicy) throws {
    streem = try SimulatedStreem(session)
  }

  var world: SimulatedWorld { streem.world }
  var gateway: Gateway { streem.gateway }

  func anonymous() -> SimulatedPeer { streem.identify(streem.token("!anon")) }

  /// A customer whom an expert has invited; the expert leaves.
  func guest() -> SimulatedPeer? {
    let expert = streem.identify(streem.token("ann"), #","isExpert":true"#)
    streem.say(expert, #"{"type":"createInvitation","toUserName":"Zoe"}"#)
    expert.close()
    world.settle()
    guard let code = expert.texts.lazy.compactMap({ SimulatedStreem.member("invitationCode", $0) }).first else {
      return nil
    }
    let entrance = streem.fetch("POST", "/streem/v1/invitations/\(code)/login").text
    return SimulatedStreem.member("token", entrance).map { streem.identify(Credentials(token: $0)) }
  }

  func joins(_ guest: SimulatedPeer) -> Bool {
    let expert = streem.identify(streem.token("ann"), #","isExpert":true"#)
    guard let id = SimulatedStreem.member("streemUserId", expert.texts.first ?? "") else { return false }
    say(#"{"type":"startRemoteStream","role":"LOCAL_CUSTOMER","remoteUserId":"\#(id)"}"#, guest)
    return guest.count("remoteStreamRinging") == 1
  }

  func operationWithoutConnection() -> String {
    let peer = streem.open()
    streem.say(peer, #"{"type":"getRecentlyIdentifiedUsers"}"#)
    return peer.texts.last ?? ""
  }

  func connect(_ user: String) -> SimulatedPeer { streem.identify(token(user)) }
  func isLoggedIn(_ peer: SimulatedPeer) -> Bool { peer.count(#""type":"identified""#) >= 1 }
  func asks(_ peer: SimulatedPeer) -> Int { peer.count(#""type":"tokenRequired""#) }

  func renew(_ user: String, _ peer: SimulatedPeer) -> SimulatedPeer {
    streem.say(peer, #"{"type":"token","token":"\#(token(user).token)"}"#)
    return peer
  }

  private func token(_ user: String) -> Credentials {
    streem.token(user, sessionLife: Self.life.nanoseconds / 1_000_000_000)
  }
}
