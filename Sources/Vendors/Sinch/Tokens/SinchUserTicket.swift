internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// The user ticket of the legacy web SDK: base64 of a JSON object, a colon, and base64 of its HMAC-SHA256.
struct SinchUserTicket: Hashable, Sendable {
  var application: Name
  var user: UserID
  var createdAt: WallTime
  var life: Duration
  var fingerprint: TokenFingerprint

  var expiresAt: WallTime { createdAt + life }

  static let sizeMax = 4096

  /// Verifies a ticket at `now`, including its `user` and `application` if the client stated them.
  static func verify(
    _ ticket: String, applications: SinchApplications, user: UserID? = nil, application: Name? = nil,
    skew: Duration, at now: WallTime
  ) throws(SinchRefusal) -> SinchUserTicket {
    guard ticket.utf8.count <= sizeMax else { throw .malformed }
    let parts = ticket.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let json = Base64.decode(String(parts[0])), let code = Base64.decode(String(parts[1])),
      let object = try? JSONDocument.parse(json).root, object.isObject
    else { throw .malformed }
    guard let key = object["applicationKey"] else { throw .claimMissing }
    guard let key = key.string.map({ Name($0) }) else { throw .claimInvalid }
    guard let known = applications[key] else { throw .unknownApplication }
    var isRight = false
    for secret in known.secrets where ConstantTime.areEqual(HMACSHA256.code(key: secret.bytes, json), code) {
      isRight = true
    }
    guard isRight else { throw .badSignature }
    let read = try SinchUserTicket(object, application: key, fingerprint: TokenFingerprint(of: ticket))
    if let user, user != read.user { throw .userMismatch }
    if let application, application != key { throw .userMismatch }
    if read.createdAt > now + skew { throw .notYetValid }
    if now >= read.expiresAt + skew { throw .expired }
    return read
  }

  private init(_ object: JSONView, application: Name, fingerprint: TokenFingerprint) throws(SinchRefusal) {
    guard let identity = object["identity"], let created = object["created"], let life = object["expiresIn"] else {
      throw .claimMissing
    }
    guard identity.isObject, identity["type"]?.equals("username") == true, let name = identity["endpoint"]?.string,
      let created = created.string.flatMap(SinchCalendar.read), let seconds = life.number, seconds > 0
    else { throw .claimInvalid }
    guard SinchUserName.isLegacyWeb(name) else { throw .userIDInvalid }
    self.application = application
    self.fingerprint = fingerprint
    user = UserID(name)
    createdAt = created
    self.life = .nanoseconds(WallTime(seconds: seconds).nanoseconds)
  }

  /// Returns a ticket with these values, as the application's server issues it.
  static func mint(
    user: UserID, application: Name, secret: SinchSecret, createdAt: WallTime, life: Duration
  ) -> String {
    let json = JSONWriter.object { json in
      json.member("identity") { json in
        json.member("type", "username")
        json.member("endpoint", user.rawValue)
      }
      json.member("expiresIn", secondsOf: life.nanoseconds)
      json.member("applicationKey", application.text)
      json.member("created", SinchCalendar.text(createdAt))
    }
    return Base64.encode(json) + ":" + Base64.encode(HMACSHA256.code(key: secret.bytes, json))
  }
}
