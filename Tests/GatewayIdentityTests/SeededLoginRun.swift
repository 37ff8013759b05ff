import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayIdentity

/// One run of a ``SeededLogin``: clients, faults and signals as a seed says, with books of its own about what may happen.
final class SeededLoginRun {
  /// A client that may be connected.
  private final class Seat {
    let user: String
    let isOpaque: Bool
    var peer: SimulatedPeer?
    /// When its latest accepted token was issued, in seconds.
    var issuedAt: Int64 = 0
    var number = 0

    init(_ user: String, isOpaque: Bool) { (self.user, self.isOpaque) = (user, isOpaque) }
  }

  /// A fault that can be ordered, and what it excuses.
  private struct Harm {
    let order: String
    /// The numbers of errors that good tokens may get under it.
    var errors: Set<Int> = []
    /// The close codes that sessions may get under it.
    var codes: Set<UInt16> = []
  }

  /// Every fault of keys, hooks, introspection, signals and webhooks. Good tokens that are refused count as failures of the
  /// client, as bad ones do: eight in a row end a session with 4502.
  private static let harms = [
    Harm(order: #""fault": "jwks_answer", "status": 429, "retry_after_s": 8"#),
    Harm(order: #""fault": "jwks_answer", "status": 500"#), Harm(order: #""fault": "jwks_slow", "by_ms": 2000"#),
    Harm(order: #""fault": "jwks_never""#), Harm(order: #""fault": "jwks_malformed""#),
    Harm(order: #""fault": "jwks_withdraw", "kid": "k1""#, errors: [401, 401_004, 401_006], codes: [4502]),
    Harm(order: #""fault": "discovery_other_issuer""#),
    Harm(order: #""fault": "hook_answer", "status": 503"#),
    Harm(order: #""fault": "hook_answer", "status": 403, "of": "connect""#, errors: [403_007], codes: [4500]),
    Harm(order: #""fault": "hook_slow", "by_ms": 1500"#), Harm(order: #""fault": "hook_slow", "by_ms": 5000"#),
    Harm(order: #""fault": "hook_never""#), Harm(order: #""fault": "hook_malformed""#),
    Harm(order: #""fault": "hook_deny", "code": 7, "of": "refresh""#, errors: [403_007], codes: [4502]),
    Harm(
      order: #""fault": "hook_disconnect", "code": 4500, "of": "refresh", "times": 1"#, errors: [403_007],
      codes: [4500]),
    Harm(order: #""fault": "introspect_answer", "status": 503"#),
    Harm(order: #""fault": "introspect_answer", "status": 401"#),
    Harm(order: #""fault": "introspect_inactive""#, errors: [401_013, 401_009], codes: [4004, 4502]),
    Harm(order: #""fault": "introspect_slow", "by_ms": 2000"#),
    Harm(order: #""fault": "logout_replayed""#), Harm(order: #""fault": "logout_forged""#),
    Harm(order: #""fault": "logout_late", "by_ms": 3000"#), Harm(order: #""fault": "event_replayed""#),
    Harm(order: #""fault": "event_forged""#), Harm(order: #""fault": "webhook_late", "by_ms": 3000, "times": 1"#),
    Harm(order: #""fault": "webhook_twice", "times": 1"#), Harm(order: #""fault": "webhook_unsigned", "times": 1"#),
    Harm(order: #""fault": "webhook_wrong_key", "times": 1"#),
    Harm(order: #""fault": "webhook_reordered", "times": 1"#),
    Harm(order: #""fault": "webhook_lost", "times": 1"#),
  ]

  static var words: Set<String> {
    Set(harms.map { String($0.order.split(separator: "\"")[2]) })
  }

  /// A fault may be felt so long after its end: by a cache, by the pause before the next question.
  private static let after = Duration.seconds(40)
  private static let unjudged = 503_005
  /// The token before is being verified.
  private static let inProgress = 400_005

  private let seed: UInt64
  private let login: SeededLogin
  private var chance: SeededGenerator
  private let seats: [Seat]
  private var excuses: [(errors: Set<Int>, codes: Set<UInt16>, until: Instant)] = []
  /// The seconds of the signals that ended sessions, by user.
  private var ended: [String: Int64] = [:]
  private var numbers = 0
  private var webhooks = 0
  private(set) var complaints: [String] = []

  init(seed: UInt64) throws {
    self.seed = seed
    login = try SeededLogin(seed: seed)
    chance = SeededGenerator(seed: seed)
    seats = (0..<8).map { Seat("user-\($0)", isOpaque: $0 % 4 == 3) }
  }

  private func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &chance) }

  /// Runs it. Returns what was wrong.
  func run(steps: Int) throws -> [String] {
    for _ in 0..<steps where complaints.isEmpty {
      try step()
      login.inner.world.advance(by: .milliseconds(pick(50..<4_000)))
      look()
    }
    if complaints.isEmpty { try liveness() }
    return complaints.map { "seed \(seed): \($0)" }
  }

  private func complain(_ text: String) { complaints.append("\(login.inner.world.now): \(text)") }

  // MARK: Steps

  private func step() throws {
    for seat in seats where isAsked(seat) { try refresh(seat) }
    let seat = seats[pick(0..<seats.count)]
    switch pick(0..<20) {
    case 0..<7: try login(seat)
    case 7..<11: try refresh(seat)
    case 11: try forge(seat)
    case 12..<15: try fail()
    case 15: login.inner.mend()
    case 16: login.issuer.add("k\(login.issuer.published.count + 1)")
    case 17: try signal(seat)
    case 18:
      webhooks += 1
      login.sendWebhook(webhooks)
    default: seat.peer?.say("{\"type\":\"join\",\"id\":\"\(next())\",\"channel\":\"default:a\"}")
    }
  }

  /// Whether the client has been asked for a token that it has not presented.
  private func isAsked(_ seat: Seat) -> Bool {
    guard let texts = seat.peer?.texts else { return false }
    let asked = texts.lastIndex { $0.has(#""type":"refresh_required""#) } ?? -1
    return asked > texts.lastIndex { $0.has(#""type":"refreshed""#) } ?? -1
  }

  private func next() -> Int {
    numbers += 1
    return numbers
  }

  /// Returns a good token of the newest key, or of an older one. Some do not name it.
  private func token(_ seat: Seat) throws -> String {
    let name = "\(seat.user)-\(next())"
    let second = login.second
    if seat.isOpaque {
      login.opaque.tokens["tok-\(name)"] = "\"sub\":\"\(seat.user)\",\"iat\":\(second)"
      return "tok-\(name)"
    }
    let key = login.issuer.published[pick(0..<login.issuer.published.count)]
    return try login.issuer.sign(
      "{\"sub\":\"\(seat.user)\",\"iss\":\"\(VirtualIssuer.name)\",\"aud\":\"realtime\",\"iat\":\(second),"
        + "\"exp\":\(second + 7_200),\"jti\":\"\(name)\"}", by: key,
      isNamed: pick(0..<4) > 0, type: "at+jwt")
  }

  private func login(_ seat: Seat) throws {
    guard seat.peer?.isOpen != true else { return }
    let second = login.second
    let peer = login.connect(try token(seat))
    _ = login.inner.world.run(within: .seconds(15)) {
      !peer.texts.isEmpty || peer.ending != nil || peer.refusal != nil
    }
    if peer.texts.first?.has(#""type":"connected""#) == true {
      (seat.peer, seat.issuedAt) = (peer, second)
    } else {
      judge(IntrospectionSpace.outcome(peer), peer.ending?.code, "a login of \(seat.user)")
      peer.close()
    }
  }

  private func refresh(_ seat: Seat) throws {
    guard let peer = seat.peer, peer.isOpen else { return }
    let (second, count, id) = (login.second, peer.texts.count, next())
    peer.say("{\"type\":\"refresh\",\"id\":\"\(id)\",\"token\":\"\(try token(seat))\"}")
    func answer() -> String? { peer.texts.dropFirst(count).first { $0.has("\"id\":\"\(id)\"") } }
    _ = login.inner.world.run(within: .seconds(15)) { answer() != nil || peer.ending != nil }
    guard let answer = answer() else { return }
    if answer.has(#""type":"refreshed""#) {
      seat.issuedAt = second
    } else {
      judge(IntrospectionSpace.number(answer), nil, "a refresh of \(seat.user)")
    }
  }

  /// Complains if a good token was refused as bad.
  private func judge(_ error: Int, _ code: UInt16?, _ what: String) {
    let now = login.inner.world.now
    guard ![Self.unjudged, 503, Self.inProgress].contains(error) else { return }
    guard !excuses.contains(where: { $0.until > now && $0.errors.contains(error) }) else { return }
    complain("\(what) with a good token was answered \(error), \(code.map(String.init) ?? "open")")
  }

  /// Presents a token that nobody has signed.
  private func forge(_ seat: Seat) throws {
    let other = VirtualIssuer(["other"])
    let claims =
      "{\"sub\":\"\(seat.user)\",\"iss\":\"\(VirtualIssuer.name)\",\"aud\":\"realtime\",\"iat\":\(login.second),"
      + "\"exp\":\(login.second + 600)}"
    var material = try KeyMaterial.jwks(other.pairs["other"]!.jwk)[0]
    material.id = ["k1", "unheard-\(next())", nil][pick(0..<3)]
    let peer = login.connect(try JWTSigner(material).sign(Array(claims.utf8)))
    _ = login.inner.world.run(within: .seconds(15)) {
      !peer.texts.isEmpty || peer.ending != nil || peer.refusal != nil
    }
    if peer.texts.contains(where: { $0.has(#""type":"connected""#) }) { complain("a forged token was accepted") }
    peer.close()
  }

  private func fail() throws {
    let harm = Self.harms[pick(0..<Self.harms.count)]
    let seconds = pick(2..<30)
    // Logouts that are replayed or forged are sent once.
    let lasts = !harm.order.has("_replayed") && !harm.order.has("_forged")
    let end = lasts ? ", \"for_s\": \(seconds)" : ""
    do {
      try login.inner.fail("{\(harm.order)\(end)}")
    } catch is GatewayError where harm.order.has("_replayed") {
      // No signal has come yet.
      return
    }
    let until = login.inner.world.now + .seconds(lasts ? seconds : 0) + Self.after
    if !harm.errors.isEmpty || !harm.codes.isEmpty { excuses.append((harm.errors, harm.codes, until)) }
  }

  private func signal(_ seat: Seat) throws {
    let (id, second) = ("j\(next())", login.second)
    let key = login.issuer.published[0]
    let status =
      Bool.random(using: &chance)
      ? try login.logOut(seat.user, id: id, by: key) : try login.endSession(of: seat.user, id: id, by: key)
    switch status {
    case 200, 202: ended[seat.user] = second
    case 503, 429: break
    default:
      // Its key may be withdrawn, as far as the gateway sees.
      judge(401_006, nil, "a signal, with \(status),")
    }
  }

  // MARK: Books

  /// Complains about sessions that ended for no reason.
  private func look() {
    let now = login.inner.world.now
    for seat in seats {
      guard let peer = seat.peer, !peer.isOpen else { continue }
      seat.peer = nil
      let code = peer.ending?.code ?? 0
      if code == 4004, let second = ended[seat.user], seat.issuedAt < second { continue }
      if excuses.contains(where: { $0.until > now && $0.codes.contains(code) }) { continue }
      complain("\(seat.user), whose token is of \(seat.issuedAt), was closed with \(code)")
    }
  }

  private func liveness() throws {
    login.inner.mend()
    let (begun, world) = (login.inner.world.now, login.inner.world)
    for _ in 0..<24 {
      world.advance(by: .seconds(5))
      for seat in seats where isAsked(seat) { try refresh(seat) }
    }
    look()
    excuses = []
    if login.onGrace != 0 { complain("\(login.onGrace) sessions are on grace") }
    var bySecond: [Int: Int] = [:]
    for time in login.backend.times where time > begun { bySecond[Int((time - begun).inSeconds), default: 0] += 1 }
    // Beside those that were postponed there are a probe, and a client that refreshes.
    let most = bySecond.values.max() ?? 0
    if most > SeededLogin.recoverRate + 2 { complain("\(most) questions in a second") }
    for seat in seats where !seat.isOpaque {
      if let second = ended[seat.user], seat.peer != nil, seat.issuedAt < second {
        complain("\(seat.user) was logged out, and stays")
      }
    }
    if !login.sender.isIdle || login.sender.counted(.delivered) != UInt64(webhooks) {
      complain("\(login.sender.counted(.delivered)) of \(webhooks) webhooks are delivered")
    }
    // A token of an unknown key causes no fetch within half a minute of another's.
    world.advance(by: .seconds(31))
    login.issuer.add("last")
    for seat in seats {
      try login(seat)
      if seat.peer?.isOpen != true { complain("\(seat.user) does not get in when all is well") }
      try refresh(seat)
    }
    // The next regular fetch.
    world.advance(by: .seconds(700))
    look()
    if login.issuer.published.count != login.fetched.keys(at: world.now).count { complain("not all keys are read") }
  }
}
