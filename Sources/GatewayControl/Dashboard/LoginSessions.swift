internal import GatewayCore

/// The logins to the control port with its secret, from browsers, and until when: twelve hours from the login, for
/// instance, however much one is used.
///
/// `@unchecked Sendable`: touched only on the loop that serves the control port.
final class LoginSessions: @unchecked Sendable {
  /// However it is used, one ends after a working day.
  static let life = Duration.seconds(12 * 3_600)
  /// The oldest makes room for one more.
  static let countMax = 64
  static let cookie = "postern_session"
  /// As many of a request's cookies may have the name.
  private static let cookiesMax = 4

  /// What one logs in with; nil where nobody does.
  private(set) var secret: [UInt8]?
  private var sessions: [(key: [UInt8], until: Instant)] = []
  private var tries = LoginTries()

  init(secret: [UInt8]?) {
    self.secret = secret
  }

  /// Counts another wrong secret from that address. Returns false if there were too many.
  func mayTry(from peer: String, at now: Instant) -> Bool { tries.take(Name(peer), at: now) }

  /// Begins a session that `key` names.
  func begin(_ key: String, at now: Instant) {
    sessions.removeAll { $0.until <= now }
    if sessions.count >= Self.countMax { sessions.removeFirst() }
    sessions.append((Array(key.utf8), now + Self.life))
  }

  /// The live session that the request's cookies name.
  func key(of request: HTTPRequest, at now: Instant) -> [UInt8]? {
    Self.keys(in: request).first { isLive($0, at: now) }
  }

  func isLive(_ key: [UInt8], at now: Instant) -> Bool {
    // Looks at all, wherever the right one stands.
    sessions.reduce(false) { found, session in
      ConstantTime.areEqual(session.key, key) && session.until > now || found
    }
  }

  func end(_ key: [UInt8]) {
    sessions.removeAll { ConstantTime.areEqual($0.key, key) }
  }

  /// Ends every session if that is another secret than before.
  func take(_ secret: [UInt8]) {
    if let old = self.secret, ConstantTime.areEqual(old, secret) { return }
    self.secret = secret
    sessions = []
  }

  /// What the cookies of that name hold (RFC 6265 section 5.4).
  private static func keys(in request: HTTPRequest) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    let prefix = Array((cookie + "=").utf8)
    for field in request.headers where field.name == "cookie" {
      for pair in field.value.utf8.split(separator: UInt8(ascii: ";")) {
        let pair = pair.drop { $0 == UInt8(ascii: " ") }
        guard pair.starts(with: prefix), keys.count < cookiesMax else { continue }
        keys.append(Array(pair.dropFirst(prefix.count)))
      }
    }
    return keys
  }
}

/// A limit to how many wrong secrets of an address are answered as such: five, and then one in ten seconds.
struct LoginTries {
  static let burst = 5.0
  private static let seconds = 10.0
  /// As many addresses are remembered; while all of them have tries to wait for, no other may try.
  static let peersMax = 1_024

  private var peers: [Name: (left: Double, at: Instant)] = [:]

  init() {}

  mutating func take(_ peer: Name, at now: Instant) -> Bool {
    if peers[peer] == nil && peers.count >= Self.peersMax {
      peers = peers.filter { Self.left($0.value, at: now) < Self.burst }
      if peers.count >= Self.peersMax { return false }
    }
    let left = peers[peer].map { Self.left($0, at: now) } ?? Self.burst
    guard left >= 1 else { return false }
    peers[peer] = (left - 1, now)
    return true
  }

  private static func left(_ peer: (left: Double, at: Instant), at now: Instant) -> Double {
    min(burst, peer.left + max(0, (now - peer.at).inSeconds) / seconds)
  }
}
