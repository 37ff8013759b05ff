internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The routes of instances of the current generation.

extension SinchRoutes {
  func register(_ request: HTTPRequest, _ parameters: PathParameters) async throws(GatewayError) -> HTTPResponse {
    let order = try Self.body(request) { (body) throws(GatewayError) in try Self.order(body, parameters) }
    let now = services.wallTime
    var old: SinchInstance?
    if let id = order.extends, let instance = try await known(id, at: now),
      instance.isOf(order.device.application, order.device.user, order.device.device)
    {
      old = instance
    }
    var extended: SinchInstance?
    if let old { extended = try await extensible(old.id, at: now) }
    let registered = try await register(order.device, order.proof, extending: extended?.id, at: now)
    if registered.instance.kind == .anonymous { throw .anonymousRefused }
    if let old {
      // A connected client continues with what it registered over HTTP.
      let renewal = SinchRenewalNote(registered.instance.id, replacing: old.fingerprint)
      services.tellOthers(renewal.note)
      await renewal.renew(with: registered.instance, on: services)
    }
    let answer = JSONWriter.object { SinchWords.write(registered.instance, secret: registered.secret, to: &$0) }
    return HTTPResponse(status: registered.secret == nil ? 200 : 201, json: answer)
  }

  private struct Order {
    var device: SinchDevice
    var proof: SinchProof
    /// The device's instance to extend, if it can be extended.
    var extends: Name?
  }

  private static func order(_ body: JSONObject, _ parameters: PathParameters) throws(GatewayError) -> Order {
    guard let device = try body.string("deviceId", bytes: 1...SinchDevice.lengthMax) else {
      throw .invalidParameter.detailed("deviceId is missing; it must be a string")
    }
    let token = try body.string("jwt", bytes: 1...SinchTokenVerifier.sizeMax)
    let ticket = try body.string("ticket", bytes: 1...SinchUserTicket.sizeMax)
    let signature = try body.string("signature", bytes: 1...256)
    let proof: SinchProof
    switch (token, ticket, signature) {
    case (let token?, nil, nil): proof = .token(token)
    case (nil, let ticket?, nil): proof = .ticket(ticket, life: nil)
    case (nil, nil, let signature?):
      proof = .signature(signature, sequence: try SinchDialect.sequence("sequence", in: body))
    default:
      throw .invalidParameter.detailed("send one of jwt, ticket, or signature with sequence")
    }
    return Order(
      device: SinchDevice(
        application: Name(parameters["application"]), user: UserID(parameters["user"]), device: Name(device)),
      proof: proof, extends: try body.string("instanceId", bytes: 1...64).map { Name($0) })
  }

  /// Returns the user's instances, for the application's server.
  func list(_ request: HTTPRequest, _ parameters: PathParameters) async throws(GatewayError) -> HTTPResponse {
    let now = services.wallTime
    try checkServer(request, of: Name(parameters["application"]), at: now)
    let instances = try await asking { () async throws(SinchRefusal) in
      try await directory.instances(
        of: UserID(parameters["user"]), application: Name(parameters["application"]), at: now, limit: 100)
    }
    let answer = JSONWriter.object { json in
      json.name("instances")
      json.beginArray()
      for instance in instances { Self.write(instance, to: &json) }
      json.endArray()
    }
    return HTTPResponse(status: 200, json: answer)
  }

  func show(_ request: HTTPRequest, _ parameters: PathParameters) async throws(GatewayError) -> HTTPResponse {
    let instance = try await instance(request, parameters)
    var json = JSONWriter()
    Self.write(instance, to: &json)
    return HTTPResponse(status: 200, json: json.bytes)
  }

  func delete(_ request: HTTPRequest, _ parameters: PathParameters) async throws(GatewayError) -> HTTPResponse {
    let instance = try await instance(request, parameters)
    _ = try await asking { () async throws(SinchRefusal) in
      try await directory.deleteInstance(instance.id, at: services.wallTime)
    }
    return HTTPResponse(status: 204)
  }

  /// Accepts the push profile of a client of the current generation, as seen in other code: nothing is pushed, and
  /// nothing is stored.
  func putPushProfile(_ request: HTTPRequest, _ parameters: PathParameters) async throws(GatewayError) -> HTTPResponse {
    let caller = try await caller(request, at: services.wallTime)
    guard caller.id == Name(parameters["instance"]), caller.user == UserID(parameters["user"]) else {
      throw SinchRefusal.authorizationInsufficient.gatewayError
    }
    try Self.body(request) { _ in }
    return HTTPResponse(status: 200, json: JSONWriter.object { _ in })
  }

  /// Returns the instance in the path, for itself or its application's server.
  private func instance(
    _ request: HTTPRequest, _ parameters: PathParameters
  ) async throws(GatewayError) -> SinchInstance {
    let now = services.wallTime
    if case .instance = SinchAuthorization(request) {
      let caller = try await caller(request, at: now)
      guard caller.isAt(parameters) else { throw SinchRefusal.authorizationInsufficient.gatewayError }
      return caller
    }
    try checkServer(request, of: Name(parameters["application"]), at: now)
    guard let instance = try await known(Name(parameters["instance"]), at: now), instance.isAt(parameters)
    else { throw SinchRefusal.instanceUnknown.gatewayError }
    return instance
  }

  private func checkServer(_ request: HTTPRequest, of key: Name, at now: WallTime) throws(GatewayError) {
    let application: SinchApplication
    do throws(SinchRefusal) {
      application = try gate.server(request, at: now)
    } catch {
      throw error.gatewayError
    }
    guard application.key == key else { throw SinchRefusal.authorizationInsufficient.gatewayError }
  }

  private static func write(_ instance: SinchInstance, to json: inout JSONWriter) {
    json.beginObject()
    json.member("id", instance.id.text)
    json.member("deviceId", instance.device.text)
    json.member("createdAt", secondsOf: instance.createdAt.nanoseconds)
    json.member("expiresAt", secondsOf: instance.endsAt?.nanoseconds)
    json.endObject()
  }
}

extension SinchInstance {
  fileprivate func isAt(_ path: PathParameters) -> Bool {
    id == Name(path["instance"]) && application == Name(path["application"]) && user == UserID(path["user"])
  }
}
