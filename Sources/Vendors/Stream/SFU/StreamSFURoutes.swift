internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The SFU's remote procedures over HTTP (Twirp). They are accepted and answered with an empty message, since there is
/// no media.
struct StreamSFURoutes: Sendable {
  /// The path prefix of the procedures.
  static let folder = "/sfu/twirp"

  private static let procedures = [
    "SetPublisher", "SendAnswer", "IceTrickle", "UpdateSubscriptions", "UpdateMuteStates", "IceRestart", "SendStats",
    "SendMetrics", "StartNoiseCancellation", "StopNoiseCancellation",
  ]

  let tokens: StreamSFUTokens
  let services: any GatewayServices

  var routes: [HTTPRoute] {
    Self.procedures.map { procedure in
      HTTPRoute("POST", "\(Self.folder)/stream.video.sfu.signal.SignalServer/\(procedure)") { request, _ in
        await answer(request)
      }
    }
  }

  private func answer(_ request: HTTPRequest) async -> HTTPResponse {
    do throws(GatewayError) {
      // JavaScript and Rust send `Bearer` before the token, Python does not.
      let token = try tokens.read(
        request.bearerToken ?? request.header("authorization") ?? "", at: services.wallTime)
      let verified = VerifiedToken(
        user: token.user, kind: token.kind, fingerprint: token.fingerprint, issuedAt: token.issuedAt,
        expiresAt: token.expiresAt)
      let format = StreamSignalFormat.protobuf
      if let refusal = await services.refusal(of: verified, shownTo: format.name, isRefresh: false) { throw refusal }
    } catch {
      return Self.response(error)
    }
    // An empty message is `{}` in JSON, and no bytes otherwise.
    if request.header("content-type")?.lowercased().hasPrefix("application/json") == true {
      return HTTPResponse(status: 200, contentType: "application/json", text: "{}")
    }
    return HTTPResponse(status: 200, headers: [HTTPField("content-type", "application/protobuf")])
  }

  /// Returns the error in the protocol's format ("Errors" of the Twirp v7 specification): always JSON.
  static func response(_ error: GatewayError) -> HTTPResponse {
    let code =
      switch error.httpStatus {
      case 401: "unauthenticated"
      case 403: "permission_denied"
      case 404, 405: "bad_route"
      case 429: "resource_exhausted"
      case 503: "unavailable"
      case 500...: "internal"
      default: "malformed"
      }
    let body = JSONWriter.object { json in
      json.member("code", code)
      json.member("msg", error.message)
    }
    return HTTPResponse(status: error.httpStatus, json: body)
  }
}
