internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// An authenticator of logins on Stream's sockets. It checks the token at once and the rest with the directory, in
/// which it updates the user at the same time.
struct StreamAuthenticator: Authenticator {
  private let kind: StreamDialect.Kind
  private let settings: StreamVideoSettings
  private let directory: StreamDirectory
  /// Nil if logins are not limited.
  private let limiter: StreamLimiter?

  init(
    _ kind: StreamDialect.Kind, settings: StreamVideoSettings, directory: StreamDirectory,
    limiter: StreamLimiter? = nil
  ) {
    self.kind = kind
    self.settings = settings
    self.directory = directory
    self.limiter = limiter
  }

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    do throws(StreamError) {
      return try login(credentials, bearer, at: now)
    } catch {
      return .decided(.failure(error.gatewayError))
    }
  }

  private func login(
    _ credentials: Credentials, _ bearer: Bearer, at now: WallTime
  ) throws(StreamError) -> Judgement {
    let upgrade = bearer.upgrade?.unpacked(StreamUpgrade.self)
    let key = upgrade?.apiKey ?? ""
    let application = try settings.applications.application(key)
    switch upgrade?.authType {
    case nil, "jwt": break
    case "anonymous":
      guard kind == .chat && settings.admitsAnonymousToChat else { return .decided(.failure(.anonymousRefused)) }
      return try admitAnonymous(credentials, upgrade, at: now)
    default: throw .authentication("stream-auth-type missing or invalid")
    }
    guard !credentials.token.isEmpty else { throw .authenticationMissing("JWTAuth error: token is missing") }
    let token = try StreamToken(
      credentials.token, of: application, key: key, at: now, leeway: settings.leeway)
    guard let user = token.user else {
      throw .authentication("a WebSocket is a user's: the token's claim user_id is missing")
    }
    if user == .anonymous { return .decided(.failure(.anonymousRefused)) }
    let details = try userDetails(credentials)
    let named = try details.requiredString("id")
    let change = try StreamUserChange(details, isFlat: kind == .chat, mayNameRole: false)
    let platform = StreamPlatform(client: upgrade?.client, isServer: false)
    return .pending { [kind, directory, limiter] in
      if let limit = await limiter?.count("Connect", platform, user: user, at: now), limit.isExceeded {
        return .failure(StreamError.rateLimit("Too many requests for user").gatewayError)
      }
      do throws(GatewayError) {
        let changed = try await directory.updateUser(user, creates: true, at: now) { (user, app) throws(GatewayError) in
          user.takeRoleIfNew(at: now)
          try Self.admit(token, named: named, key: key, as: user, app)
          try change.apply(to: &user)
          user.lastActive = now
        }
        let known = try await directory.withoutPastBans([changed], at: now)
        return .success(Self.verified(token, known[0], kind.family))
      } catch {
        return .failure(error)
      }
    }
  }

  /// Admits the client as Stream's special anonymous user, ignoring the client's random name.
  private func admitAnonymous(
    _ credentials: Credentials, _ upgrade: StreamUpgrade?, at now: WallTime
  ) throws(StreamError) -> Judgement {
    _ = try userDetails(credentials).requiredString("id")
    let me = JSONWriter.object(capacity: 512) { json in
      json.member("id", UserID.anonymous.rawValue)
      json.member("role", StreamRole.anonymous.rawValue)
      json.member("roles", strings: [])
      json.member("created_at", "0001-01-01T00:00:00Z")
      json.member("updated_at", "0001-01-01T00:00:00Z")
      json.member("last_active", now, .text)
      json.member("banned", false)
      json.member("online", true)
      json.member("invisible", false)
      for name in ["devices", "mutes", "channel_mutes", "teams"] {
        json.name(name)
        json.raw("[]")
      }
      for name in ["unread_count", "total_unread_count", "unread_channels", "unread_threads"] {
        json.name(name)
        json.integer(0)
      }
      json.member("language", "")
    }
    let token = VerifiedToken(
      user: .anonymous, kind: .anonymous, fingerprint: TokenFingerprint(of: ""), form: .none,
      welcome: String(decoding: me, as: UTF8.self))
    let platform = StreamPlatform(client: upgrade?.client, isServer: false)
    return .pending { [limiter] in
      if let limit = await limiter?.count("Connect", platform, user: nil, at: now), limit.isExceeded {
        return .failure(StreamError.rateLimit("Too many requests").gatewayError)
      }
      return .success(token)
    }
  }

  /// Reads the object `user_details`: from the message itself, or from Chat's `json`.
  private func userDetails(_ credentials: Credentials) throws(StreamError) -> StreamBody {
    let text = credentials.details?.unpacked(StreamUserDetails.self)?.text ?? ""
    guard !text.isEmpty else { throw .input("json is a required parameter", field: "json") }
    let object = try StreamBody(Array(text.utf8), "json")
    guard kind == .chat else { return object }
    if let details = try object.object("user_details"), details.has("id") { return details }
    // Older clients send the user id beside a details object that lacks it.
    let id = try object.requiredString("user_id")
    return try StreamBody(JSONWriter.object { $0.member("id", id) }, "json")
  }

  private static func admit(
    _ token: StreamToken, named: String, key: String, as user: StreamUser, _ app: StreamAppSettings
  ) throws(GatewayError) {
    do throws(StreamError) {
      try token.checkRevocation(user, app, key: key)
    } catch {
      throw error.gatewayError
    }
    try user.checkStanding()
    guard UserID(named) == user.id || StreamGuestID.isSameWish(named, user.id) else {
      throw .userMismatch.worded("the token's user_id \(user.id) is not the user_details' id")
    }
  }

  private static func verified(_ token: StreamToken, _ user: StreamUser, _ family: StreamFamily) -> VerifiedToken {
    let me = JSONWriter.object(capacity: 768) { user.writeFullMembers(to: &$0, family, isOnline: true) }
    var verified = VerifiedToken(
      user: user.id, kind: user.role == StreamRole.guest.name ? .guest : .regular, fingerprint: token.fingerprint,
      issuedAt: token.issuedAt, expiresAt: token.expiresAt, calls: token.calls,
      welcome: String(decoding: me, as: UTF8.self))
    verified.doubt = token.doubt
    return verified
  }
}
