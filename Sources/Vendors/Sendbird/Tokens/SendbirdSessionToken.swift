internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// A session token: a JWT signed with HS256 whose payload is `{"e":…,"u":…,"v":1}`, as in the vendor's example.
///
/// `e` is the expiry in unix seconds and `u` a number for the user. `i` is our own: the issue time in unix
/// milliseconds, so that tokens issued before some time can be revoked. 119 to 168 characters, as documented.
struct SendbirdSessionToken: Hashable, Sendable {
  var userNumber: UInt64
  var issuedAt: WallTime
  var expiresAt: WallTime

  /// Creates a token for the user, issued at `now`.
  init(for user: SendbirdUser, at now: WallTime, until expiresAt: WallTime) {
    self.init(user: user.id, issuedAt: Self.issueDate(for: user, at: now), expiresAt: expiresAt)
  }

  init(user: UserID, issuedAt: WallTime, expiresAt: WallTime) {
    userNumber = Self.number(of: user)
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
  }

  /// Returns the user's number: 48 bits of the SHA-256 of the name. So everyone with the secret can issue and verify
  /// tokens without a look-up.
  static func number(of user: UserID) -> UInt64 {
    SHA256.digest(user.rawValue.utf8)[..<6].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns whether the user's session tokens of that time were revoked. Tokens are dated in whole milliseconds; a
  /// revocation covers its own millisecond.
  static func isVoid(issuedAt: WallTime?, for user: SendbirdUser) -> Bool {
    guard let limit = earliestIssueDate(for: user) else { return false }
    return issuedAt.map { $0 < limit } ?? true
  }

  /// Returns the time before which tokens are revoked; nil if none are.
  static func earliestIssueDate(for user: SendbirdUser) -> WallTime? {
    user.sessionTokensValidFrom.map(millisecond(after:))
  }

  /// Returns the issue time of a token created at `now`: after the millisecond of the last revocation, so that a token
  /// created right after it is valid.
  static func issueDate(for user: SendbirdUser, at now: WallTime) -> WallTime {
    let whole = millisecond(after: now) - .milliseconds(1)
    return max(whole, user.sessionTokensValidFrom.map(millisecond(after:)) ?? whole)
  }

  /// Returns the first whole millisecond that is later.
  private static func millisecond(after time: WallTime) -> WallTime {
    WallTime(nanoseconds: time.nanoseconds / 1_000_000 * 1_000_000) + .milliseconds(1)
  }

  /// Returns whether `token` has the form of a JWT; an access token never has dots.
  static func isOne(_ token: String) -> Bool {
    token.utf8.count { $0 == UInt8(ascii: ".") } == 2
  }

  /// The payload.
  var claims: [UInt8] {
    JSONWriter.object(capacity: 80) { json in
      json.member("e", secondsOf: expiresAt.nanoseconds)
      json.member("u", Int64(clamping: userNumber))
      json.member("v", 1)
      json.member("i", issuedAt.nanoseconds / 1_000_000)
    }
  }

  /// Returns the token as text.
  func signed(by signer: JWTSigner) -> Credentials {
    Credentials(token: signer.sign(claims))
  }

  /// Reads a token whose signature is valid at `now`, without checking its expiry. A token without `i` counts as issued
  /// at the beginning of time, so that every revocation covers it.
  init(_ token: String, verifier: JWTVerifier, at now: WallTime) throws(TokenError) {
    let payload = try verifier.verifySignature(token, at: now)
    let claims: JSONView
    do throws(JSONError) {
      claims = try JSONDocument.parse(payload).root
    } catch {
      throw .json(.payload, error)
    }
    guard let version = claims["v"] else { throw .claimMissing("v") }
    guard version.integer == 1 else { throw .claimInvalid("v", expected: "1") }
    guard let end = claims["e"] else { throw .claimMissing("e") }
    guard let end = NumericDate.read(end) else { throw .claimInvalid("e", expected: "unix seconds") }
    guard let user = claims["u"] else { throw .claimMissing("u") }
    guard let number = user.integer.flatMap({ UInt64(exactly: $0) }) else {
      throw .claimInvalid("u", expected: "the user's number")
    }
    userNumber = number
    expiresAt = end
    issuedAt = claims["i"]?.integer.map { WallTime(nanoseconds: 0) + .milliseconds($0) } ?? WallTime(nanoseconds: .min)
  }
}
