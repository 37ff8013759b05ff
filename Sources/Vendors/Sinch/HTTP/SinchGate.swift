internal import GatewayCore
internal import GatewayTokens

/// The authentication of callers over HTTP: an application's server by a signature, a client by its instance's
/// signature.
struct SinchGate: Sendable {
  let registrar: SinchRegistrar

  private var settings: SinchSettings { registrar.settings }

  /// Returns the application of a server, authenticated by a signature or by its secret.
  func server(_ request: HTTPRequest, at now: WallTime) throws(SinchRefusal) -> SinchApplication {
    switch SinchAuthorization(request) {
    case nil: throw .authorizationMissing
    case .anybody, .ticket, .instance: throw .authorizationInsufficient
    case .basic(let key, let secret): return try application(key, secret: secret)
    case .signedApplication(let key, let signature):
      return try application(key, signed: request, as: signature, at: now)
    }
  }

  /// Returns the application that the request names without a proof.
  func anybody(_ request: HTTPRequest, at now: WallTime) throws(SinchRefusal) -> SinchApplication {
    guard case .anybody(let key) = SinchAuthorization(request) else { return try server(request, at: now) }
    guard let application = settings.applications[key] else { throw .unknownApplication }
    return application
  }

  /// Returns the authenticated instance.
  func instance(_ request: HTTPRequest, at now: WallTime) async throws(SinchRefusal) -> SinchInstance {
    switch SinchAuthorization(request) {
    case nil: throw .authorizationMissing
    case .anybody, .signedApplication, .basic, .ticket: throw .authorizationInsufficient
    case .instance(let id, let signature):
      var refusal = SinchRefusal.badSignature
      for signed in try Self.signed(request) {
        do throws(SinchRefusal) {
          return try await registrar.instance(id, signed: signed, as: signature, at: now)
        } catch {
          refusal = error
        }
      }
      throw refusal
    }
  }

  /// Returns the request's verified ticket.
  func ticket(_ request: HTTPRequest, at now: WallTime) throws(SinchRefusal) -> SinchUserTicket {
    guard let authorization = SinchAuthorization(request) else { throw .authorizationMissing }
    guard case .ticket(let text) = authorization else { throw .authorizationInsufficient }
    try registrar.checkTimestamp(request.header("x-timestamp") ?? "", at: now)
    return try SinchUserTicket.verify(
      text, applications: settings.applications, skew: settings.tokens.clockSkew, at: now)
  }

  private func application(_ key: Name, secret: String) throws(SinchRefusal) -> SinchApplication {
    guard let application = settings.applications[key] else { throw .unknownApplication }
    guard let presented = Base64.decode(secret) else { throw .badSignature }
    var isRight = false
    for known in application.secrets where ConstantTime.areEqual(known.bytes, presented) { isRight = true }
    guard isRight else { throw .badSignature }
    return application
  }

  private func application(
    _ key: Name, signed request: HTTPRequest, as signature: String, at now: WallTime
  ) throws(SinchRefusal) -> SinchApplication {
    guard let application = settings.applications[key] else { throw .unknownApplication }
    let candidates = try Self.signed(request)
    try registrar.checkTimestamp(candidates[0].timestamp, at: now)
    let secrets = application.secrets.map(\.bytes)
    guard candidates.contains(where: { $0.isSigned(signature, by: secrets) }) else { throw .badSignature }
    return application
  }

  /// Returns the possible forms of the signed request. The query arrives decoded, so it is tried both unchanged and
  /// encoded again.
  private static func signed(_ request: HTTPRequest) throws(SinchRefusal) -> [SinchRequestSignature] {
    guard let timestamp = request.header("x-timestamp") else { throw .timestampMissing }
    let encode = { (text: String) in PercentEncoding.encode(text) }
    let queries = [{ $0 }, encode].map { (write: (String) -> String) in
      request.query.map { "\(write($0.name))=\(write($0.value))" }.joined(separator: "&")
    }
    let paths = request.query.isEmpty ? [request.path] : queries.map { "\(request.path)?\($0)" }
    return paths.map {
      SinchRequestSignature(
        method: request.method, body: request.body, contentType: request.header("content-type") ?? "",
        timestamp: timestamp, path: $0)
    }
  }
}
