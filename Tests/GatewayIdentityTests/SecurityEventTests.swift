import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayIdentity

/// Security events (RFC 8417) by push (RFC 8935): each becomes the order that exists for it.
@Suite(.timeLimit(.minutes(20)))
struct SecurityEventTests {
  private static let caep = "https://schemas.openid.net/secevent/caep/event-type/"

  /// Returns an event about ann, or another subject.
  private func event(
    _ kind: String, in scene: SignalScene, subject: String? = nil, at time: Int64? = nil, id: String = "e1",
    issuer: String = VirtualIssuer.name, more: String = ""
  ) -> String {
    let subject =
      subject ?? "{\"format\":\"iss_sub\",\"iss\":\"\(VirtualIssuer.name)\",\"sub\":\"ann\"}"
    let name = kind.contains(bytesOf: "https:") ? kind : Self.caep + kind
    let body = time.map { "{\"event_timestamp\":\($0)}" } ?? "{}"
    return "{\"iss\":\"\(issuer)\",\"aud\":[\"chat\"],\"iat\":\(scene.now),\"jti\":\"\(id)\",\"sub_id\":\(subject),"
      + "\"events\":{\"\(name)\":\(body)}\(more)}"
  }

  private func send(
    _ claims: String, in scene: SignalScene, type: String? = "secevent+jwt"
  ) throws -> (status: Int, text: String) {
    scene.deliverEvent(try scene.signed(claims, type: type))
  }

  @Test
  func `session-revoked closes what began before its event, and a replay is answered as if it were new`() throws {
    let scene = try SignalScene()
    let early = scene.connect(try scene.token())
    scene.pass(10)
    let at = scene.now
    scene.pass(10)
    let late = scene.connect(try scene.token())
    scene.pass(10)
    let claims = event("session-revoked", in: scene, at: at)
    #expect(try send(claims, in: scene) == (202, ""))
    #expect(early.ending?.code == 4004 && late.isOpen)
    #expect(try send(claims, in: scene) == (202, ""))
    #expect(late.isOpen && scene.logs.all("signal_taken").count == 1)
  }

  @Test
  func `an event_timestamp after the statement counts as the statement's own time`() throws {
    let scene = try SignalScene()
    scene.pass(10)
    let claims = event("session-revoked", in: scene, at: scene.now + 1_000)
    scene.pass(1)
    let later = scene.connect(try scene.token())
    #expect(try send(claims, in: scene).status == 202)
    #expect(later.isOpen)
  }

  @Test
  func `a changed credential or changed claims ask for another token and close nothing`() throws {
    for kind in ["credential-change", "token-claims-change"] {
      let scene = try SignalScene()
      let token = try scene.token()
      let peer = scene.connect(token)
      scene.pass(2)
      #expect(try send(event(kind, in: scene), in: scene).status == 202)
      #expect(peer.isOpen && peer.texts.contains { $0.contains(bytesOf: "refresh_required") })
      #expect(scene.space.outcome(token) == (kind == "credential-change" ? 401_009 : 0))
    }
  }

  @Test
  func `an event about a session or device that cannot be identified widens to the user, and is logged`() throws {
    let scene = try SignalScene()
    let peer = scene.connect(try scene.token())
    scene.pass(2)
    let user = "{\"format\":\"iss_sub\",\"iss\":\"\(VirtualIssuer.name)\",\"sub\":\"ann\"}"
    let subject = "{\"format\":\"complex\",\"user\":\(user),\"device\":{\"format\":\"opaque\",\"id\":\"d1\"}}"
    #expect(try send(event("session-revoked", in: scene, subject: subject), in: scene).status == 202)
    #expect(!peer.isOpen && scene.logs.all("signal_taken").first?["widened"] == "yes")
  }

  @Test
  func `events about unknown users or of other kinds are answered and end no session`() throws {
    let scene = try SignalScene()
    let peer = scene.connect(try scene.token())
    scene.pass(2)
    let stranger = #"{"format":"iss_sub","iss":"https://other.example","sub":"ann"}"#
    let email = #"{"format":"email","email":"ann@example.com"}"#
    let framework = "https://schemas.openid.net/secevent/ssf/event-type/"
    for (number, claims) in [
      event("session-revoked", in: scene, subject: stranger, id: "1"),
      event("session-revoked", in: scene, subject: email, id: "2"),
      event("device-compliance-change", in: scene, id: "3"),
      event(framework + "verification", in: scene, id: "4"),
      event(framework + "something-else", in: scene, id: "5"),
    ].enumerated() {
      #expect(try send(claims, in: scene).status == 202, "number \(number)")
    }
    #expect(peer.isOpen)
  }

  @Test
  func `each wrong event is refused with its own code`() throws {
    let scene = try SignalScene()
    let peer = scene.connect(try scene.token())
    scene.pass(2)
    let good = event("session-revoked", in: scene)
    let strange = event("session-revoked", in: scene, issuer: "https://other.example")
    let forged = scene.deliverEvent(try VirtualIssuer().sign(good, by: "k1", type: "secevent+jwt"))
    for (answer, code) in [
      (try send(strange, in: scene), "invalid_issuer"), (forged, "invalid_key"),
      (try send(good.replacingFirst("[\"chat\"]", by: "\"other\""), in: scene), "invalid_audience"),
      (try send(good, in: scene, type: "JWT"), "invalid_request"),
      (try send(good, in: scene, type: nil), "invalid_request"),
      (try send(good, in: scene, type: "logout+jwt"), "invalid_request"),
      (try send(good.replacingFirst("\"jti\":\"e1\",", by: ""), in: scene), "invalid_request"),
      (try send(good.replacingFirst("\"sub_id\"", by: "\"sub\""), in: scene), "invalid_request"),
      (scene.post("/identity/events", good, type: "application/json"), "invalid_request"),
    ] {
      #expect(answer.status == 400 && answer.text.contains(bytesOf: "\"err\":\"\(code)\""), "\(answer) for \(code)")
    }
    #expect(peer.isOpen)
  }
}

extension String {
  /// Returns the text with the first occurrence of some bytes replaced.
  fileprivate func replacingFirst(_ old: String, by new: String) -> String {
    let (text, wanted) = (Array(utf8), Array(old.utf8))
    guard let place = text.indices.first(where: { text[$0...].starts(with: wanted) }) else { return self }
    return String(decoding: text[..<place] + Array(new.utf8) + text[(place + wanted.count)...], as: UTF8.self)
  }
}
