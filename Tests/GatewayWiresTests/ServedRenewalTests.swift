import GatewayCore
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import GatewayWires
import TestSupport
import Testing

/// A gateway that plays a wire whose clients send no message to renew, and a client by hand.
private struct RenewalHouse {
  let space: TestSpace<ServedVendor>
  let issuer: PlainTokenIssuer
  private let path: String

  init(_ text: String, takesFaults: Bool = false) throws {
    let wire = try RenewalWires.wire(text)
    issuer = PlainTokenIssuer(signer: try JWTSigner(try KeyMaterial.secret(Array(VirtualStorm.secret.utf8))))
    space = try TestSpace(
      try ServedWireTests.settings(wire), GatewayConfiguration(session: try SessionPolicy()),
      loops: takesFaults ? 1 : 2,
      issuer: issuer, takesFaults: takesFaults)
    path = wire.path ?? "/"
  }

  func token(_ user: String = "ann", life: Duration = .seconds(100)) -> String {
    let now = space.world.wallTime
    return issuer.mint(user: UserID(user), kind: .regular, issuedAt: now, expiresAt: now + life, calls: nil).token
  }

  func connect(_ token: String) -> SimulatedPeer {
    let upgrade = HTTPRequest(method: "GET", path: path, query: [HTTPField("access_token", token)])
    let peer = space.dial(upgrade)
    space.world.advance(by: .milliseconds(10))
    return peer
  }

  /// Returns the name that the gateway gave the connection.
  func session(_ peer: SimulatedPeer) throws -> String {
    let hello = try #require(peer.texts.first)
    return String(try #require(hello.firstMatch(of: #/"session":"([^"]+)"/#)).1)
  }

  func renew(_ session: String, _ token: String?) throws -> HTTPResponse {
    let request = HTTPRequest(
      method: "POST", path: "/keys/refresh", query: [HTTPField("session", session)],
      headers: token.map { [HTTPField("authorization", "Bearer \($0)")] } ?? [])
    return try #require(space.fetch(request)).get()
  }

  func exchange(_ body: String) throws -> HTTPResponse {
    let form = [HTTPField("content-type", "application/x-www-form-urlencoded")]
    let request = HTTPRequest(method: "POST", path: "/exchange/token", headers: form, body: Array(body.utf8))
    return try #require(space.fetch(request)).get()
  }
}

struct ServedRenewalTests {
  // MARK: Over HTTP

  @Test
  func `a request over HTTP renews the connection that it names, and no other one of the user`() throws {
    let house = try RenewalHouse(RenewalWires.http)
    let (one, other) = (house.connect(house.token()), house.connect(house.token(life: .seconds(60))))
    house.space.world.advance(by: .seconds(50))
    let answer = try house.renew(house.session(other), house.token(life: .seconds(300)))
    #expect(answer.status == 200 && answer.text.contains(#"{"expires_in":"#), "\(answer.status) \(answer.text)")
    // The first one's token and its grace end.
    house.space.world.advance(by: .seconds(60))
    #expect(one.ending?.code == 4401 && one.texts.last == #"{"type":"bye"}"#)
    #expect(other.ending == nil && other.texts.count == 1)
    house.space.world.advance(by: .seconds(300))
    #expect(other.ending?.code == 4401)
  }

  @Test
  func `a request over HTTP without a good token is refused by cause, and the connection goes on`() throws {
    let house = try RenewalHouse(RenewalWires.http)
    let peer = house.connect(house.token())
    let session = try house.session(peer)
    let old = house.token(life: .seconds(2))
    house.space.world.advance(by: .seconds(3))
    let cases: [(String?, Int)] = [
      (old, 401), (house.token("bob"), 403), ("a.b.c", 403), ("", 403), (String(repeating: "x", count: 9_000), 403),
      (nil, 403),
    ]
    // More often than refused tokens of its own client end a session.
    for (token, status) in Array(repeating: cases, count: 9).flatMap(\.self) {
      let answer = try house.renew(session, token)
      #expect(answer.status == status, "\(token?.prefix(9) ?? "-") \(answer.status) \(answer.text)")
      #expect(token.map { $0.isEmpty || !answer.text.contains($0) } ?? true)
    }
    #expect(peer.ending == nil && house.space.sessions().count == 1)
    #expect(try house.renew(session, house.token()).status == 200)
  }

  @Test
  func `a request over HTTP that names no open connection gets 404`() throws {
    let house = try RenewalHouse(RenewalWires.http)
    let peer = house.connect(house.token())
    let session = try house.session(peer)
    for name in ["", "conn_0_99", "conn_99999_1", "conn_0_99999999999999999999", "ann", session + "0"] {
      #expect(try house.renew(name, house.token()).status == 404, "\(name)")
    }
    peer.close()
    house.space.world.advance(by: .seconds(1))
    #expect(try house.renew(session, house.token()).status == 404)
  }

  @Test
  func `a fault that refuses tokens refuses the request over HTTP, and the journal has both outcomes`() throws {
    let house = try RenewalHouse(RenewalWires.http, takesFaults: true)
    let session = try house.session(house.connect(house.token()))
    try house.space.fail(#"{"fault": "refuse_token", "error": "token_revoked", "times": 1}"#)
    #expect(try house.renew(session, house.token()).status == 401)
    #expect(try house.renew(session, house.token()).status == 200)
    let kinds = house.space.kinds
    #expect(kinds.filter { $0 == .refreshRefused }.count == 1 && kinds.filter { $0 == .refreshed }.count == 1)
    #expect(!kinds.contains(.refreshRequested))
  }

  @Test
  func `a connection that is lost while its request over HTTP is judged answers that request`() throws {
    let house = try RenewalHouse(RenewalWires.http, takesFaults: true)
    let peer = house.connect(house.token())
    let session = try house.session(peer)
    try house.space.fail(#"{"fault": "judge_slowly", "by_ms": 20000}"#)
    let dialer = SimulatedDialer(house.space.network, on: house.space.clients)
    let request = HTTPRequest(
      method: "POST", path: "/keys/refresh", query: [HTTPField("session", session)],
      headers: [HTTPField("authorization", "Bearer \(house.token())")])
    let asked = house.space.start { await dialer.fetch(request, from: .gateway, timeout: .seconds(60)) }
    house.space.world.advance(by: .seconds(1))
    #expect(asked.value == nil)
    peer.abort()
    house.space.world.advance(by: .seconds(1))
    #expect(try #require(asked.value).get().status == 404)
  }

  @Test
  func `a token that expires while its request over HTTP is judged renews nothing`() throws {
    let house = try RenewalHouse(RenewalWires.http, takesFaults: true)
    let peer = house.connect(house.token())
    let session = try house.session(peer)
    try house.space.fail(#"{"fault": "judge_slowly", "by_ms": 5000}"#)
    let answer = try house.renew(session, house.token(life: .seconds(3)))
    #expect(answer.status == 401 && answer.text.contains("token_expired"), "\(answer.text)")
    #expect(peer.ending == nil)
  }

  @Test
  func `a request over HTTP may bring the next token for the one that it shows, in any form that is the same`() throws {
    let house = try RenewalHouse(RenewalWires.exchange)
    let old = house.token(life: .seconds(30))
    let (peer, other) = (house.connect(old), house.connect(house.token(life: .seconds(30))))
    house.space.world.advance(by: .seconds(20))
    let answer = try house.exchange("x=1&token=\(old)&grant=a+b")
    #expect(answer.status == 200)
    let next = String(try #require(answer.text.firstMatch(of: #/\{"next":\{"token":"([^"]+)"\}\}/#)).1)
    #expect(next != old)
    house.space.world.advance(by: .seconds(15))
    #expect(peer.ending == nil && other.ending?.code == 4401)
    // It lives as long as the one before, and the old one is no session's any more.
    #expect(try house.exchange("token=\(old)").status == 401)
    #expect(try house.exchange("token=\(next)").status == 200)
    for body in ["", "token", "token=", "token=%FF", "grant=a+b", String(repeating: "token=a&", count: 20_000)] {
      #expect(try [401, 413].contains(house.exchange(body).status), "\(body.prefix(20))")
    }
  }

  // MARK: Pushed

  @Test
  func `a gateway pushes a token by its lead, and the connection lives by that`() throws {
    let house = try RenewalHouse(RenewalWires.pushed, takesFaults: true)
    let peer = house.connect(house.token())
    house.space.world.advance(by: .seconds(79))
    #expect(peer.texts.count == 1)
    house.space.world.advance(by: .seconds(2))
    let message = try #require(peer.texts.last)
    let token = String(try #require(message.firstMatch(of: #/"refresh_token":"([^"]+)"/#)).1)
    #expect(message.contains(#""life":9"#) || message.contains(#""life":100"#), "\(message)")
    house.space.world.advance(by: .seconds(60))
    #expect(peer.ending == nil && peer.texts.count == 2)
    // It is a token like any other.
    #expect(house.connect(token).texts.first == #"{"type":"hello"}"#)
    let kinds = house.space.kinds
    #expect(kinds.contains(.refreshed) && !kinds.contains(.providerAsked) && !kinds.contains(.providerMinted))
    #expect(house.space.journalText.contains("eyJ") == false)
  }

  @Test
  func `an operator has a token pushed at once, and a revoked token brings none`() throws {
    let house = try RenewalHouse(RenewalWires.pushed, takesFaults: true)
    let peer = house.connect(house.token())
    _ = house.space.order { await $0.control(SessionFilter(user: UserID("ann")), .askForRefresh) }
    house.space.world.advance(by: .seconds(1))
    #expect(peer.texts.count == 2 && peer.ending == nil)
    _ = house.space.order { await $0.control(SessionFilter(user: UserID("ann")), .revoked) }
    house.space.world.advance(by: .seconds(3))
    #expect(peer.texts.count(where: { $0.contains("refresh_token") }) == 1 && peer.ending?.code == 4401)
  }

  @Test
  func `a pushed token that is refused is not sent, and the connection ends after the expiry and the grace`() throws {
    let house = try RenewalHouse(RenewalWires.pushed, takesFaults: true)
    let peer = house.connect(house.token())
    try house.space.fail(#"{"fault": "refuse_token", "error": "token_malformed"}"#)
    house.space.world.advance(by: .seconds(99))
    #expect(peer.texts.count == 1 && peer.ending == nil)
    house.space.world.advance(by: .seconds(3))
    #expect(peer.ending?.code == 4401)
  }
}

extension HTTPResponse {
  fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}

extension TestSpace {
  fileprivate var lines: [JournalLine] {
    order { await $0.journal(Journal.Query())?.lines ?? [] } ?? []
  }

  fileprivate var kinds: [JournalKind] { lines.map(\.event.kind) }

  fileprivate var journalText: String { lines.map { "\($0)" }.joined() }
}
