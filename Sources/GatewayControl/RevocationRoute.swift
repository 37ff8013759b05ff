internal import GatewayCore
internal import GatewayRuntime

/// The order that revokes tokens of a gateway, `POST /revocations`.
struct RevocationRoute {
  let gateway: Gateway

  var route: HTTPRoute {
    HTTPRoute("POST", "/revocations") { request, _ in await revoke(request) }
  }

  private func revoke(_ request: HTTPRequest) async -> HTTPResponse {
    do throws(GatewayError) {
      let body: RevocationOrder = try ControlAnswer.order(request)
      // A session of the dashboard acts only on the sessions that it shows, one at a time.
      guard body.tokenFingerprint != nil || OrderCaller.current?.key != .dashboard else {
        throw .credentialsMissing.worded(
          "a login to the dashboard revokes single tokens only; send the control secret as a bearer token")
      }
      let target = try Self.target(body, now: gateway.wallTime)
      let reached = try await gateway.reach(revoking: target)
      gateway.log(
        .info, "revocation",
        Self.fields(body) + reached.fields + (OrderCaller.current?.fields ?? []))
      return ControlAnswer.json(SessionsReached(reached))
    } catch {
      return ControlAnswer.error(error)
    }
  }

  /// Returns the target of the revocation, for the log.
  private static func fields(_ order: RevocationOrder) -> [LogEvent.Field] {
    [
      order.userID.map { LogEvent.Field("user", $0) },
      order.tokenFingerprint.map { LogEvent.Field("token_fingerprint", $0) },
      order.issuedBefore.map { LogEvent.Field("issued_before", String($0)) },
    ].compactMap { $0 }
  }

  private static func target(_ body: RevocationOrder, now: WallTime) throws(GatewayError) -> Revocations.Target {
    let before = body.issuedBefore.map(WallTime.init(seconds:))
    guard body.expiresAt == nil || body.tokenFingerprint != nil else {
      throw .malformedRequest.detailed("expires_at goes with token_fingerprint")
    }
    switch (body.tokenFingerprint, body.userID, before) {
    case (let text?, nil, nil):
      guard let fingerprint = TokenFingerprint(text) else {
        throw .invalidParameter.detailed("token_fingerprint must be 32 hexadecimal digits, as a session shows it")
      }
      return .token(fingerprint, expiresAt: body.expiresAt.map(WallTime.init(seconds:)))
    case (nil, let user?, _):
      return .user(UserID(user), issuedBefore: before ?? now)
    case (nil, nil, let before?):
      return .everybody(issuedBefore: before)
    default:
      throw .malformedRequest.detailed("name a token_fingerprint, or a user_id, or issued_before alone")
    }
  }
}
