internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

// The start of the legacy web SDK, as far as the SDK shows it.

extension SinchRoutes {
  func timestamp(_ request: HTTPRequest, _: PathParameters) async throws(GatewayError) -> HTTPResponse {
    let now = services.wallTime
    _ = try await asking { () throws(SinchRefusal) in try gate.anybody(request, at: now) }
    return HTTPResponse(status: 200, json: JSONWriter.object { $0.member("timestamp", SinchCalendar.text(now)) })
  }

  func registerWeb(_ request: HTTPRequest, _: PathParameters) async throws(GatewayError) -> HTTPResponse {
    let now = services.wallTime
    // The SDK names no device, so each registration is a device.
    let device = Name(SinchIdentifier.make(from: registrar.secrets))
    return try await registerWeb(request, device: device, extending: nil, at: now)
  }

  func renewWeb(_ request: HTTPRequest, _ parameters: PathParameters) async throws(GatewayError) -> HTTPResponse {
    let now = services.wallTime
    let ticket = try await asking { () throws(SinchRefusal) in try gate.ticket(request, at: now) }
    guard let instance = try await extensible(Name(parameters["instance"]), at: now),
      instance.application == ticket.application, instance.user == ticket.user
    else { throw SinchRefusal.instanceUnknown.gatewayError }
    return try await registerWeb(request, device: instance.device, extending: instance.id, at: now)
  }

  private func registerWeb(
    _ request: HTTPRequest, device: Name, extending id: Name?, at now: WallTime
  ) async throws(GatewayError) -> HTTPResponse {
    let ticket = try await asking { () throws(SinchRefusal) in try gate.ticket(request, at: now) }
    guard case .ticket(let text) = SinchAuthorization(request) else {
      throw SinchRefusal.authorizationMissing.gatewayError
    }
    let life = try Self.body(request, isOptional: true) { (body) throws(GatewayError) in
      try body.number("expiresIn").map { Duration.nanoseconds(WallTime(seconds: $0).nanoseconds) }
    }
    guard life.map({ $0 > .zero }) ?? true else {
      throw .invalidParameter.detailed("expiresIn must be a number of seconds above 0")
    }
    let wanted = life ?? settings.legacyInstanceLifeMax
    let registered = try await register(
      SinchDevice(application: ticket.application, user: ticket.user, device: device), .ticket(text, life: wanted),
      extending: id, at: now)
    let secret = registered.secret ?? self.secret(of: registered.instance)
    return HTTPResponse(status: 200, json: Self.legacyInstance(registered.instance, secret, at: now))
  }

  /// Returns the secret of a renewed instance, since the SDK replaces its own with the answer.
  private func secret(of instance: SinchInstance) -> [UInt8] {
    settings.applications[instance.application].flatMap { SinchInstanceSecret.recover(instance, of: $0) } ?? []
  }

  func configuration(_ request: HTTPRequest, _: PathParameters) async throws(GatewayError) -> HTTPResponse {
    let now = services.wallTime
    let instance = try await caller(request, at: now)
    // Channels of a network that is not simulated: always the same for an instance.
    let channel = SHA256.digest(instance.id.text.utf8).prefix(8).map { String($0, radix: 16) }.joined()
    let answer = JSONWriter.object(capacity: 512) { json in
      json.member("rtcConfiguration") { json in
        for name in ["broadcastNetwork", "signalNetwork"] {
          json.name(name)
          json.beginObject()
          json.member("publishKey", "pub-\(instance.application)")
          json.member("subscribeKey", "\(Self.subscribeKeyPrefix)\(instance.application)")
          json.member("host", request.header("host") ?? "")
          json.endObject()
        }
      }
      json.member("rtcProfile") { json in
        json.member("broadcastChannel", "broadcast-\(channel)")
        json.member("transportChannel", "transport-\(channel)")
        json.member("signalChannel", "signal-\(channel)")
      }
    }
    return HTTPResponse(status: 200, json: answer)
  }

  func profile(_ request: HTTPRequest, _: PathParameters) async throws(GatewayError) -> HTTPResponse {
    let now = services.wallTime
    let instance = try await caller(request, at: now)
    return HTTPResponse(status: 200, json: JSONWriter.object { Self.writeIdentities(instance.user, to: &$0) })
  }

  private static func writeIdentities(_ user: UserID, to json: inout JSONWriter) {
    json.name("identities")
    json.beginArray()
    json.beginObject()
    json.member("type", "username")
    json.member("endpoint", user.rawValue)
    json.endObject()
    json.endArray()
  }

  /// Authenticates a vendor-managed user: a right password gets a ticket.
  func authenticate(_ request: HTTPRequest, _ parameters: PathParameters) async throws(GatewayError) -> HTTPResponse {
    let now = services.wallTime
    let application = try await asking { () throws(SinchRefusal) in try gate.anybody(request, at: now) }
    let password = try Self.body(request) { (body) throws(GatewayError) in
      guard let password = try body.string("password", bytes: 0...1024) else {
        throw .invalidParameter.detailed("password is missing; it must be a string")
      }
      return password
    }
    guard limits.passwords.take(request.peer, at: now) == nil else { throw SinchRefusal.tooMany.gatewayError }
    let user = UserID(parameters["name"])
    let known = settings.passwords[user.name]
    // An unknown user takes as much time.
    let isEqual = ConstantTime.areEqual(Array((known?.token ?? "-").utf8), Array(password.utf8))
    let isRight = isEqual && known != nil
    let isLookedAt = try await asking { () async throws(SinchRefusal) in
      try await directory.tryPassword(
        isRight: isRight, of: user, isKnown: known != nil, at: now, lock: settings.passwordLock)
    }
    guard isLookedAt else { throw SinchRefusal.accountLocked.gatewayError }
    guard isRight else { throw SinchRefusal.wrongPassword.gatewayError }
    let ticket = SinchUserTicket.mint(
      user: user, application: application.key, secret: application.secrets[0], createdAt: now,
      life: settings.ticketLife)
    let answer = JSONWriter.object(capacity: 512) { json in
      json.member("authorization", ticket)
      json.member("user") { Self.writeIdentities(user, to: &$0) }
    }
    return HTTPResponse(status: 200, json: answer)
  }
}
