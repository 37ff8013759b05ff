internal import GatewayCore
internal import GatewayIdentity
internal import GatewayRuntime
internal import GatewaySpace

/// The order that does what follows from a signal from outside, `POST /signals`.
struct SignalRoute {
  let space: Space

  var route: HTTPRoute {
    HTTPRoute("POST", "/signals") { request, _ in await give(request) }
  }

  private func give(_ request: HTTPRequest) async -> HTTPResponse {
    do throws(GatewayError) {
      let order: SignalOrder = try ControlAnswer.order(request)
      // A session of the dashboard acts only on the sessions that it shows, one at a time.
      guard OrderCaller.current?.key != .dashboard else {
        throw .credentialsMissing.worded(
          "a login to the dashboard gives no signals; send the control secret as a bearer token")
      }
      guard let kind = SignalKind.orders.first(where: { Name($0.rawValue) == Name(order.signal) }) else {
        let names = SignalKind.orders.map(\.rawValue).joined(separator: ", ")
        throw .invalidParameter.detailed("signal must be one of \(names)")
      }
      let user = try order.userID.map { (text) throws(GatewayError) in
        guard (1...UserID.lengthMax).contains(text.utf8.count) else {
          throw .invalidParameter.detailed("user_id must be 1 to \(UserID.lengthMax) bytes")
        }
        return UserID(text)
      }
      let reached = try await space.signals.give(
        kind, user: user, sid: order.loginSession, issuer: order.loginIssuer,
        before: order.issuedBefore.map(WallTime.init(seconds:)))
      space.gateway.log(
        .info, "signal",
        [.init("signal", kind.rawValue)] + Self.fields(order) + reached.fields
          + (OrderCaller.current?.fields ?? []))
      return ControlAnswer.json(SessionsReached(reached))
    } catch {
      return ControlAnswer.error(error)
    }
  }

  private static func fields(_ order: SignalOrder) -> [LogEvent.Field] {
    [
      order.userID.map { LogEvent.Field("user", $0) }, order.loginSession.map { LogEvent.Field("session", $0) },
      order.loginIssuer.map { LogEvent.Field("issuer", $0) },
      order.issuedBefore.map { LogEvent.Field("issued_before", String($0)) },
    ].compactMap { $0 }
  }
}
