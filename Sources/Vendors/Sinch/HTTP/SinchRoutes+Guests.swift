internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Guests. Our own addition: the vendor has none.

extension SinchRoutes {
  /// Creates a guest: a user who may connect and join calls until the registration ends.
  func makeGuest(_ request: HTTPRequest, _ parameters: PathParameters) async throws(GatewayError) -> HTTPResponse {
    guard let application = settings.applications[Name(parameters["application"])] else {
      throw SinchRefusal.unknownApplication.gatewayError
    }
    let now = services.wallTime
    guard limits.guests.take(request.peer, at: now) == nil else { throw SinchRefusal.tooMany.gatewayError }
    let user = UserID("guest-" + SinchIdentifier.make(from: registrar.secrets))
    let issuer = SinchTokenIssuer(
      application: application.key, secret: application.secrets[0], policy: settings.tokens,
      drawing: registrar.secrets)
    let token = issuer.mint(
      user: user, kind: .guest, issuedAt: now, expiresAt: now + settings.guestLife, calls: nil)
    let answer = JSONWriter.object(capacity: 512) { json in
      json.member("userId", user.rawValue)
      json.member("jwt", token.token)
    }
    return HTTPResponse(status: 201, json: answer)
  }
}
