internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The SFU's remote procedures over HTTP (Twirp), `SetPublisher` for instance: accepted, and answered with nothing,
/// since there is no media that they could be about.
struct StreamSFURoutes: Sendable {
  /// Where the gateway has them.
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
      // JavaScript and Rust write `Bearer` before it, Python does not.
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
    // The message without fields is `{}` in JSON, and no byte at all otherwise.
    if request.header("content-type")?.lowercased().hasPrefix("application/json") == true {
      return HTTPResponse(status: 200, contentType: "application/json", text: "{}")
    }
    return HTTPResponse(status: 200, headers: [HTTPField("content-type", "application/protobuf")])
  }

  /// An error as the protocol has it ("Errors" of the Twirp v7 specification): JSON, whatever the request was.
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
