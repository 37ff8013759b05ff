package import GatewayCore

/// The refresh token that the tabs of one device share, as the device knows it. The storm's clients and the machines of
/// a simulated world decide by it who is signed out, and by what cause.
///
/// Refresh tokens are known by numbers above 0, different for each. A pure value of 24 bytes.
package struct TokenJar: Hashable, Sendable {
  /// The cause of a sign-out, as far as the device can know it.
  package enum Cause: String, Hashable, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
    /// The token was shown before, and no answer came.
    case lostReply = "lost_reply"
    /// Another tab showed it.
    case race
    /// It was unused for too long.
    case idle
    case other
  }

  /// The meaning of a refused refresh token.
  package enum Refusal: Hashable, Sendable {
    /// The device has a newer one by now, which the client shows next.
    case superseded
    case signedOut(Cause)
    /// The device was signed out before.
    case already
  }

  /// The number of its refresh token; 0 for none.
  package private(set) var token: UInt32 = 0
  /// Whether it was signed out permanently.
  package private(set) var isSignedOut = false
  /// The client that showed the token first.
  private var shownBy = Self.nobody
  private var hasRaced = false
  private var hasBegun = false
  private var wasUnanswered = false
  /// Whether another request brought the token's successor while one with it was refused.
  private var wasSuperseded = false
  private var obtainedAt = Instant.zero

  private static let nobody = UInt32.max

  package init() {}

  /// Notes that a client shows the token. Returns whether it was shown before without an answer.
  package mutating func show(by client: Int) -> Bool {
    let client = UInt32(truncatingIfNeeded: client)
    if shownBy == Self.nobody { shownBy = client }
    if shownBy != client { hasRaced = true }
    return wasUnanswered
  }

  /// Stores the token of an answer, unless the device is signed out permanently. Returns whether it is the device's
  /// first.
  package mutating func received(_ token: UInt32, at now: Instant) -> Bool {
    guard !isSignedOut else { return false }
    let isFirst = !hasBegun
    hasBegun = true
    wasSuperseded = false
    guard token != self.token else { return isFirst }
    self.token = token
    wasUnanswered = false
    obtainedAt = now
    shownBy = Self.nobody
    hasRaced = false
    return isFirst
  }

  /// Notes that a request with that token ended without an answer.
  package mutating func unanswered(_ token: UInt32) {
    if token == self.token { wasUnanswered = true }
  }

  /// Notes that a request with that token was refused.
  ///
  /// - Parameters:
  ///   - token: The number of the refused token.
  ///   - plan: The plan of shared tokens, and of logging in again.
  ///   - now: The time.
  package mutating func refused(_ token: UInt32, _ plan: GrantPlan, at now: Instant) -> Refusal {
    guard !isSignedOut, self.token > 0 else { return .already }
    guard token == self.token else {
      wasSuperseded = true
      return .superseded
    }
    let cause: Cause =
      if wasUnanswered {
        .lostReply
      } else if hasRaced || wasSuperseded {
        .race
      } else if let idle = plan.idle, (now - obtainedAt).inSeconds >= idle {
        .idle
      } else {
        .other
      }
    switch plan.signedOut {
    case .gone: isSignedOut = true
    case .login:
      self = TokenJar()
      hasBegun = true
    }
    return .signedOut(cause)
  }
}
