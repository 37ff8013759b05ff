internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The content of a Stream token, after every check that needs no directory.
struct StreamToken: Hashable, Sendable {
  /// The maximum number of calls a call token may list.
  static let callsMax = 100
  /// The maximum size of a token in bytes: a call token may list a hundred long names. Rust sends no longer ones.
  static let sizeMax = 16_384
  /// The third segment of an unsigned token.
  static let developmentSignature = "devtoken"

  /// Nil for a server's token.
  var user: UserID?
  var role: Name?
  /// The calls that a call token allows.
  var calls: [CallID]?
  var issuedAt: WallTime?
  /// Nil for a token that never expires.
  var expiresAt: WallTime?
  var fingerprint: TokenFingerprint
  /// A warning about its expiry, which may be in milliseconds.
  var doubt: String?
  /// Whether it is unsigned, and valid only where authentication is not checked.
  var isDevelopment: Bool

  /// Whether it is a token of the application's own server: signed, and without a user.
  var isServer: Bool { user == nil }

  /// Reads `token` as of `now`. Reports the first check that fails, in this order: three segments that can be decoded
  /// (5), HS256 (5), signature (43), kinds of the claims (5), `exp` (40), `nbf` (41), `iat` (42), the claims of a call
  /// token (5).
  ///
  /// - Parameter leeway: The tolerance for `exp`, `nbf` and `iat`.
  init(
    _ token: String, of application: StreamApplication, key: String, at now: WallTime, leeway: Duration
  ) throws(StreamError) {
    isDevelopment = token.hasSuffix("." + Self.developmentSignature)
    fingerprint = TokenFingerprint(of: token)
    let claims: JSONView
    if isDevelopment {
      do throws(TokenError) {
        claims = try UnverifiedToken(String(token.dropLast(Self.developmentSignature.count))).payload
      } catch {
        throw Self.malformed(error)
      }
    } else {
      claims = try Self.verifiedClaims(token, application, key, now)
    }
    issuedAt = try Self.date(claims, "iat")
    expiresAt = try Self.date(claims, "exp")
    doubt = NumericDate.doubt(claims["exp"])
    let notBefore = try Self.date(claims, "nbf")
    user = try Self.user(claims)
    role = try Self.string(claims, "role").map { Name($0) }
    if let expiresAt, expiresAt + leeway <= now { throw .tokenExpired }
    if let notBefore, notBefore - leeway > now { throw .tokenNotYetValid }
    if let issuedAt, issuedAt - leeway > now { throw .tokenUsedBeforeIssued }
    calls = try Self.calls(claims, expiresAt)
    if user == nil, calls != nil { throw .authentication("JWTAuth error: a call token needs user_id") }
  }

  private static func verifiedClaims(
    _ token: String, _ application: StreamApplication, _ key: String, _ now: WallTime
  ) throws(StreamError) -> JSONView {
    do throws(TokenError) {
      let payload = try application.verifier.verifySignature(token, at: now)
      do throws(JSONError) {
        let root = try JSONDocument.parse(payload).root
        guard root.isObject else { throw JSONError.malformed(position: 0) }
        return root
      } catch {
        throw TokenError.json(.payload, error)
      }
    } catch {
      switch error {
      case .signature, .keyUnknown, .keyEnded:
        // A token that cannot be decoded is reported as malformed before its signature is checked.
        do throws(TokenError) {
          _ = try UnverifiedToken(token)
        } catch {
          throw malformed(error)
        }
        throw .signatureInvalid(key: key)
      default:
        throw malformed(error)
      }
    }
  }

  private static func malformed(_ error: TokenError) -> StreamError {
    switch error {
    case .notThreeSegments: .authentication("JWTAuth error: token contains an invalid number of segments")
    case .unsigned, .algorithmUnknown, .algorithmNotForKey, .algorithmMissing:
      .authentication("JWTAuth error: unexpected signing method")
    default: .authentication("JWTAuth error: token is malformed: \(error)")
    }
  }

  /// Reads a date: whole seconds only.
  private static func date(_ claims: JSONView, _ name: StaticString) throws(StreamError) -> WallTime? {
    guard let claim = claims[name] else { return nil }
    guard let seconds = claim.integer else { throw wrongClaim("\(name)", "an integer") }
    let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return WallTime(nanoseconds: overflow ? (seconds < 0 ? .min : .max) : nanoseconds)
  }

  private static func string(_ claims: JSONView, _ name: StaticString) throws(StreamError) -> String? {
    guard let claim = claims[name] else { return nil }
    guard let string = claim.string, string.utf8.count <= UserID.lengthMax else {
      throw wrongClaim("\(name)", "a string of at most \(UserID.lengthMax) bytes")
    }
    return string
  }

  private static func user(_ claims: JSONView) throws(StreamError) -> UserID? {
    if let server = claims["server"], server.bool == nil { throw wrongClaim("server", "true or false") }
    guard let user = try string(claims, "user_id") else { return nil }
    guard !user.isEmpty else { throw wrongClaim("user_id", "not empty") }
    return UserID(user)
  }

  private static func calls(_ claims: JSONView, _ expiresAt: WallTime?) throws(StreamError) -> [CallID]? {
    guard let claim = claims["call_cids"] else { return nil }
    guard let elements = claim.elements, elements.count <= callsMax else {
      throw wrongClaim("call_cids", "an array of at most \(callsMax)")
    }
    let calls = elements.compactMap { $0.string.flatMap(CallID.init(cid:)) }
    guard calls.count == elements.count else { throw wrongClaim("call_cids", "an array of type:id") }
    guard expiresAt != nil else { throw .authentication("JWTAuth error: a call token needs exp") }
    return calls
  }

  private static func wrongClaim(_ name: String, _ expected: String) -> StreamError {
    .authentication("JWTAuth error: claim \(name) must be \(expected)")
  }
}
