import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport
import TestTraits
import Testing

@testable import GatewayIdentity

/// Logout tokens (OpenID Connect Back-Channel Logout 1.0) end the sessions that they name, and none of a later login.
@Suite(.timeLimit(.minutes(20)))
struct LogoutTests {
  @Test
  func `a logout of a session closes it, refuses its token, and leaves the user's other session`() throws {
    let scene = try SignalScene()
    let (one, other) = (try scene.token(sid: "s1"), try scene.token(sid: "s2"))
    let (first, second) = (scene.connect(one), scene.connect(other))
    scene.pass(2)
    #expect(first.isOpen && second.isOpen)
    let logout = try scene.signed(scene.logout(#""sid":"s1","sub":"ann""#))
    #expect(scene.deliver(logout).status == 200)
    #expect(first.ending?.code == 4004 && second.isOpen)
    #expect(scene.space.outcome(one) == 401_009 && scene.space.outcome(other) == 0)
    scene.pass(2)
    let later = scene.connect(try scene.token(sid: "s1"))
    #expect(scene.deliver(logout).status == 200)
    #expect(later.isOpen && second.isOpen)
  }

  @Test
  func `a logout of a user whose tokens name no session closes all of the user's sessions`() throws {
    let scene = try SignalScene()
    let peers = [scene.connect(try scene.token()), scene.connect(try scene.token(sid: "s2"))]
    scene.pass(2)
    #expect(scene.deliver(try scene.signed(scene.logout(#""sid":"s1","sub":"ann""#))).status == 200)
    #expect(peers.allSatisfy { $0.ending?.code == 4004 })
    let later = scene.connect(try scene.token())
    scene.pass(1)
    #expect(later.isOpen, "its token is of the logout's own second")
    #expect(scene.logs.all("signal_taken").map { $0["sessions"] } == ["2"])
  }

  @Test(arguments: ["logout+jwt", "JWT", "application/logout+jwt", nil])
  func `typ may be logout+jwt, JWT or absent`(type: String?) throws {
    let scene = try SignalScene()
    #expect(scene.deliver(try scene.signed(scene.logout(#""sub":"ann""#), type: type)).status == 200)
  }

  @Test
  func `each wrong logout token is refused with its own reason, and closes nothing`() throws {
    let issuer = VirtualIssuer()
    let scene = try SignalScene(issuer)
    let peer = scene.connect(try scene.token(sid: "s1"))
    scene.pass(10)
    func said(_ claims: String, type: String? = "logout+jwt") throws -> String {
      let (status, text) = scene.deliver(try scene.signed(claims, type: type))
      #expect(status == 400, "\(text)")
      #expect(text.contains(bytesOf: #""error":"invalid_request""#))
      return text
    }
    let sub = #""sub":"ann""#
    let refusals = [
      (try said(scene.logout(sub, more: #","nonce":"n""#)), "nonce"),
      (try said(scene.logout(sub, at: scene.now - 306)), "exp has passed"),
      (try said(scene.logout(sub, at: scene.now - 306, end: scene.now + 60)), "5 minutes"),
      (try said(scene.logout(sub, at: scene.now + 60)), "iat is in the future"),
      (try said(scene.logout(sub, audience: "other")), "aud does not name"),
      (try said(scene.logout(sub, issuer: "https://other.example")), "iss is not"),
      (try said(scene.logout(sub, events: "{}")), "no logout"),
      (try said(scene.logout(sub, events: "[]")), "no logout"),
      (try said(scene.logout(#""x":1"#)), "neither sid nor sub"),
      (try said(scene.logout(#""sub":7"#)), "sub must be"),
      (try said(scene.logout(#""sid":"""#)), "sid must be"),
      (try said(scene.logout(sub), type: "at+jwt"), "typ"),
      (try said(scene.logout(sub), type: "secevent+jwt"), "typ"),
      (scene.deliver(try scene.token(sid: "s1")).text, "aud does not name"),
      (scene.deliver("x.y").text, "segments"),
      (scene.deliver("a&logout_token=b").text, "once"),
      (scene.deliver("", type: "text/plain").text, "content-type"),
    ]
    for (said, reason) in refusals { #expect(said.contains(bytesOf: reason), "\(said) for \(reason)") }
    let forger = VirtualIssuer()
    let forged = scene.deliver(try forger.sign(scene.logout(sub), by: "k1", type: "logout+jwt"))
    #expect(forged.status == 400 && forged.text.contains(bytesOf: "the signature does not verify"))
    var secret = try KeyMaterial.secret(Array(IdentitySpace.secret.utf8))
    secret.id = nil
    let own = scene.deliver(try JWTSigner(secret).sign(Array(scene.logout(sub).utf8)))
    #expect(own.status == 400 && own.text.contains(bytesOf: "signature"), "a key of the gateway's own signs no logout")
    #expect(peer.isOpen && scene.logs.all("signal_taken").isEmpty)
  }

  @Test
  func `a logout token opens no socket`() throws {
    let scene = try SignalScene()
    let claims = scene.logout(#""user_id":"ann","sub":"ann""#, audience: "realtime")
    for type in ["logout+jwt", "JWT", "at+jwt"] {
      #expect(scene.space.outcome(try scene.signed(claims, type: type)) == 401_001)
    }
  }

  @Test(.long, arguments: 0..<40 as Range<UInt64>)
  func `logouts that are replayed, late, doubled or reordered end no session of a later login`(seed: UInt64) throws {
    let scene = try SignalScene()
    var chance = SeededGenerator(seed: seed)
    var sessions: [(token: String, at: Int64, peer: SimulatedPeer)] = []
    var logouts: [(token: String, at: Int64)] = []
    var ended = Int64.min
    for step in 0..<40 {
      let wait = Int64(chance.next() % 3)
      if wait > 0 { scene.pass(wait) }
      switch chance.next() % 4 {
      case 0:
        let token = try scene.token()
        sessions.append((token, scene.now, scene.connect(token)))
      case 1: logouts.append((try scene.signed(scene.logout(#""sub":"ann""#, id: "j\(step)")), scene.now))
      default:
        guard !logouts.isEmpty else { continue }
        let one = logouts[Int(chance.next() % UInt64(logouts.count))]
        let status = scene.deliver(one.token).status
        #expect(status == 200)
        ended = max(ended, one.at)
      }
      for session in sessions {
        #expect(session.peer.isOpen == (session.at >= ended), "issued at \(session.at), logged out before \(ended)")
      }
    }
  }
}
