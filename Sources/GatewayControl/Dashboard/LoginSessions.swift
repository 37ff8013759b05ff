internal import GatewayCore

/// The browser logins to the control port. Each session ends twelve hours after the login, whether it is used or not.
///
/// `@unchecked Sendable`: used only on the loop that serves the control port.
final class LoginSessions: @unchecked Sendable {
  /// The life of a session, used or not: a working day.
  static let life = Duration.seconds(12 * 3_600)
  /// The maximum number of sessions. The oldest one is ended for one more.
  static let countMax = 64
  static let cookie = "postern_session"
  /// The maximum number of a request's cookies of that name that are read.
  private static let cookiesMax = 4

  /// The secret for the login; nil if there is none.
  private(set) var secret: [UInt8]?
  private var sessions: [(key: [UInt8], until: Instant)] = []
  private var tries = LoginTries()

  init(secret: [UInt8]?) {
    self.secret = secret
  }

  /// Counts another wrong secret from that address. Returns false if there were too many.
  func mayTry(from peer: String, at now: Instant) -> Bool { tries.take(Name(peer), at: now) }

  /// Begins a session with the name `key`.
  func begin(_ key: String, at now: Instant) {
    sessions.removeAll { $0.until <= now }
    if sessions.count >= Self.countMax { sessions.removeFirst() }
    sessions.append((Array(key.utf8), now + Self.life))
  }

  /// Returns the live session that the request's cookies name; nil if there is none.
  func key(of request: HTTPRequest, at now: Instant) -> [UInt8]? {
    Self.keys(in: request).first { isLive($0, at: now) }
  }

  func isLive(_ key: [UInt8], at now: Instant) -> Bool {
    // All sessions are compared, so that the time does not depend on the position of the right one.
    sessions.reduce(false) { found, session in
      ConstantTime.areEqual(session.key, key) && session.until > now || found
    }
  }

  func end(_ key: [UInt8]) {
    sessions.removeAll { ConstantTime.areEqual($0.key, key) }
  }

  /// Replaces the secret. Ends every session if it has changed.
  func take(_ secret: [UInt8]) {
    if let old = self.secret, ConstantTime.areEqual(old, secret) { return }
    self.secret = secret
    sessions = []
  }

  /// Returns the values of the cookies of that name (RFC 6265 section 5.4).
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

/// A limit on the wrong secrets from one address: five, and then one in ten seconds.
struct LoginTries {
  static let burst = 5.0
  private static let seconds = 10.0
  /// The maximum number of remembered addresses. While each of them still has tries to regain, further addresses may
  /// not try.
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
