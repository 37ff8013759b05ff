import GatewayControl
import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import TestTraits
import Testing

@testable import GatewayFaults
@testable import GatewayIdentity

/// Logouts and security events that the gateway sends to itself, as a broken sender would.
@Suite(.timeLimit(.minutes(20)))
struct SignalFaultTests {
  private static let ann = #""sub":"ann""#

  private func scene() throws -> SignalScene { try SignalScene(takesFaults: true) }

  private func event(in scene: SignalScene, id: String = "e1") throws -> String {
    let subject = "{\"format\":\"iss_sub\",\"iss\":\"\(VirtualIssuer.name)\",\"sub\":\"ann\"}"
    let claims =
      "{\"iss\":\"\(VirtualIssuer.name)\",\"aud\":[\"chat\"],\"iat\":\(scene.now),\"jti\":\"\(id)\","
      + "\"sub_id\":\(subject),\"events\":{\"\(SignalKind.sessionRevoked.event)\":{}}}"
    return try scene.signed(claims, type: "secevent+jwt")
  }

  private func refusal(of order: String, in scene: SignalScene) -> String {
    let refused = #expect(throws: GatewayError.self) { try scene.space.inner.fail(order) }
    return refused?.message ?? ""
  }

  private func counted(_ kind: SignalKind, _ result: SignalCounts.Result, in scene: SignalScene) -> String {
    var page = PrometheusText()
    scene.space.inner.space.signals.write(to: &page)
    let label = "postern_signals_total{signal=\"\(kind.rawValue)\",result=\"\(result.rawValue)\"} "
    let line = page.text.split(separator: "\n").first { $0.hasPrefix(label) }
    return line.map { String($0.dropFirst(label.count)) } ?? "no such line"
  }

  private func lines(of kind: JournalKind, in scene: SignalScene) -> [JournalLine] {
    let gateway = scene.space.inner.space.gateway
    let page = scene.space.inner.world.ask { await gateway.journal(Journal.Query(limit: .max)) } ?? nil
    return page?.lines.filter { $0.event.kind == kind } ?? []
  }

  private func verdict(in scene: SignalScene) throws -> JournalVerdict {
    let gateway = scene.space.inner.space.gateway
    return try #require(
      scene.space.inner.world.ask { () async -> JournalVerdict? in
        guard let journal = gateway.journal else { return nil }
        return GatewayControl.Expectation.outlivesBadSignals.verdict(on: ClientStory(journal, of: UserID("ann")))
      } ?? nil)
  }

  @Test
  func `a replayed logout and a replayed event end no session that began after them`() throws {
    for (order, kind) in [
      (#"{"fault": "logout_replayed"}"#, SignalKind.logout), (#"{"fault": "event_replayed"}"#, .sessionRevoked),
    ] {
      let scene = try scene()
      let early = scene.connect(try scene.token())
      scene.pass(2)
      if kind == .logout {
        #expect(scene.deliver(try scene.signed(scene.logout(Self.ann))).status == 200)
      } else {
        #expect(scene.deliverEvent(try event(in: scene)).status == 202)
      }
      #expect(!early.isOpen)
      scene.pass(2)
      let later = scene.connect(try scene.token())
      scene.pass(1)
      try scene.space.inner.fail(order)
      scene.pass(1)
      #expect(later.isOpen && scene.space.inner.faulted == 1)
      #expect(counted(kind, .replayed, in: scene) == "1" && counted(kind, .taken, in: scene) == "1")
      #expect(try verdict(in: scene).outcome == .passed)
      // A copy of a copy is not kept: the next order sends the one signal again.
      try scene.space.inner.fail(order)
      scene.pass(1)
      #expect(counted(kind, .replayed, in: scene) == "2")
    }
  }

  @Test
  func `a logout is replayed after each login if the order says so`() throws {
    let scene = try scene()
    try scene.space.inner.fail(#"{"fault": "logout_replayed", "when": {"after": "logged_in"}}"#)
    #expect(scene.deliver(try scene.signed(scene.logout(Self.ann))).status == 200)
    scene.pass(2)
    let peers = [scene.connect(try scene.token()), scene.connect(try scene.token())]
    scene.pass(2)
    #expect(peers.allSatisfy { $0.isOpen } && counted(.logout, .replayed, in: scene) == "2")
  }

  @Test
  func `forged logouts and events of each connected user are refused for their key and end nothing`() throws {
    for (order, kind) in [(#"{"fault": "logout_forged"}"#, "logout"), (#"{"fault": "event_forged"}"#, "other")] {
      let scene = try scene()
      let peers = [scene.connect(try scene.token()), scene.connect(try scene.token())]
      scene.pass(2)
      try scene.space.inner.fail(order)
      scene.pass(10)
      #expect(peers.allSatisfy { $0.isOpen })
      let refused = lines(of: .signalRefused, in: scene)
      // Two connections of one user are one user.
      #expect(refused.map(\.failure) == ["invalid_key"] && refused.map(\.signal) == [kind])
      guard case .signalRefused(_, _, true)? = refused.first?.event else {
        Issue.record("the line does not say that a fault sent it")
        continue
      }
      #expect(lines(of: .faulted, in: scene).map(\.user?.rawValue) == ["ann"])
      #expect(try verdict(in: scene).outcome == .passed)
    }
  }

  @Test
  func `forged signals lack nothing but the right signature`() throws {
    let issuer = VirtualIssuer()
    let scene = try SignalScene(issuer, takesFaults: true)
    let peer = scene.connect(try scene.token())
    scene.pass(2)
    // The same claims by the issuer's own key close the session.
    let signals = scene.space.inner.space.signals
    let fetched = scene.space.fetched
    let made = scene.space.inner.world.ask { signals.forged(.logout, by: fetched, about: UserID("ann")) }
    let forged = try #require(made ?? nil)
    let part = try #require(forged.split(separator: ".").dropFirst().first)
    let claims = String(decoding: try #require(Base64URL.decode(String(part))), as: UTF8.self)
    #expect(scene.deliver(forged).status == 400 && peer.isOpen)
    #expect(scene.deliver(try scene.signed(claims)).status == 200 && !peer.isOpen)
  }

  @Test
  func `a late logout is answered at once and taken later, and ends no session that began in between`() throws {
    let scene = try scene()
    let early = scene.connect(try scene.token())
    scene.pass(2)
    try scene.space.inner.fail(#"{"fault": "logout_late", "by_ms": 10000, "times": 1}"#)
    #expect(scene.deliver(try scene.signed(scene.logout(Self.ann))).status == 200)
    scene.pass(5)
    #expect(early.isOpen)
    let later = scene.connect(try scene.token())
    scene.pass(6)
    #expect(!early.isOpen && later.isOpen)
    #expect(counted(.logout, .taken, in: scene) == "1")
  }

  @Test
  func `a late logout is taken when its fault is taken back, and one that is too late is refused`() throws {
    let scene = try scene()
    let peer = scene.connect(try scene.token())
    scene.pass(2)
    try scene.space.inner.fail(#"{"fault": "logout_late", "by_ms": 600000}"#)
    #expect(scene.deliver(try scene.signed(scene.logout(Self.ann))).status == 200)
    scene.pass(5)
    scene.space.inner.mend()
    scene.pass(1)
    #expect(!peer.isOpen)
    let next = scene.connect(try scene.token())
    scene.pass(2)
    try scene.space.inner.fail(#"{"fault": "logout_late", "by_ms": 600000}"#)
    #expect(scene.deliver(try scene.signed(scene.logout(Self.ann, id: "j2"))).status == 200)
    scene.pass(700)
    #expect(next.isOpen && lines(of: .signalRefused, in: scene).map(\.failure) == ["invalid_request"])
  }

  @Test
  func `an order that can send nothing is refused with what is missing`() throws {
    let scene = try scene()
    #expect(refusal(of: #"{"fault": "logout_replayed"}"#, in: scene).has("no logout has come yet"))
    #expect(refusal(of: #"{"fault": "event_replayed"}"#, in: scene).has("no security event has come yet"))
    #expect(refusal(of: #"{"fault": "logout_late"}"#, in: scene).has("by_ms is missing"))
    #expect(
      refusal(of: #"{"fault": "logout_forged", "when": {"after": "cut_off"}}"#, in: scene).has("give times"))
    #expect(refusal(of: #"{"fault": "jwks_rotate", "overlap_s": 30}"#, in: scene).has("--jwks-rotate"))
    let deaf = try IdentitySpace(VirtualIssuer(), takesFaults: true)
    for (word, flag) in [("logout_forged", "--logout"), ("event_forged", "--events-from")] {
      let refused = #expect(throws: GatewayError.self) { try deaf.inner.fail("{\"fault\": \"\(word)\"}") }
      #expect(refused?.message.has(flag) == true, "\(refused?.message ?? "")")
    }
  }

  @Test(.long, arguments: 0..<40 as Range<UInt64>)
  func `under all faults of signals no session ends that began after the logout, and every earlier one does`(
    seed: UInt64
  ) throws {
    let scene = try scene()
    var chance = SeededGenerator(seed: seed)
    var sessions: [(at: Int64, peer: SimulatedPeer)] = []
    var lastLogout = Int64.min
    for order in [
      #"{"fault": "logout_replayed", "when": {"after": "logged_in"}}"#,
      #"{"fault": "logout_forged", "when": {"after": "logged_in"}}"#,
      #"{"fault": "event_replayed", "when": {"after": "logged_in"}}"#,
      #"{"fault": "event_forged", "when": {"after": "logged_in"}}"#,
      #"{"fault": "logout_late", "by_ms": 7000}"#,
    ] { try scene.space.inner.fail(order) }
    for step in 0..<30 {
      scene.pass(1 + Int64(chance.next() % 3))
      switch chance.next() % 4 {
      case 0, 1: sessions.append((scene.now, scene.connect(try scene.token())))
      case 2:
        #expect(scene.deliver(try scene.signed(scene.logout(Self.ann, id: "j\(step)"))).status == 200)
        lastLogout = scene.now
      default:
        #expect(scene.deliverEvent(try event(in: scene, id: "e\(step)")).status == 202)
        lastLogout = scene.now
      }
    }
    scene.pass(20)
    for session in sessions {
      #expect(session.peer.isOpen == (session.at >= lastLogout), "issued at \(session.at), last logout \(lastLogout)")
    }
    #expect(try verdict(in: scene).outcome != .failed)
  }
}
