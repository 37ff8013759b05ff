internal import GatewayCore
internal import GatewayRuntime

/// The orders of an operator to one session, to a user's sessions, or to all, e.g. `POST /users/ann/expire`.
struct OrderRoutes {
  let gateway: any Controllable

  private enum Order: String, CaseIterable {
    case expire
    case refresh
    case disconnect
  }

  var routes: [HTTPRoute] {
    Order.allCases.flatMap { order in
      [
        HTTPRoute("POST", "/sessions/{id}/\(order.rawValue)") { request, parameters in
          await run(order, [.init("connection", parameters["id"])], request) { (event) throws(GatewayError) in
            guard let id = ConnectionID(parameters["id"]) else { return nil }
            return try await gateway.reach(.connection(id), event)
          }
        },
        HTTPRoute("POST", "/users/{id}/\(order.rawValue)") { request, parameters in
          await run(order, [.init("user", parameters["id"])], request) { (event) throws(GatewayError) in
            try await gateway.reach(.user(UserID(parameters["id"])), event)
          }
        },
        HTTPRoute("POST", "/sessions/\(order.rawValue)") { request, _ in
          await run(order, [], request) { (event) throws(GatewayError) in
            try await gateway.reach(.everybody, event)
          }
        },
      ]
    }
  }

  /// Carries out an order. `reach` returns the sessions that it reached; nil if its target does not exist.
  private func run(
    _ order: Order, _ target: [LogEvent.Field], _ request: HTTPRequest,
    reach: nonisolated(nonsending) (SessionEvent) async throws(GatewayError) -> Reached?
  ) async -> HTTPResponse {
    let reached: Reached
    do throws(GatewayError) {
      guard let found = try await reach(try Self.event(order, request)) else {
        throw .notFound.detailed("no session has the id in the path; GET /sessions lists them")
      }
      reached = found
    } catch {
      return ControlAnswer.error(error)
    }
    gateway.log(
      .info, "order",
      [.init("order", order.rawValue)] + target + reached.fields
        + (OrderCaller.current?.fields ?? []))
    return ControlAnswer.json(SessionsReached(reached))
  }

  private static func event(_ order: Order, _ request: HTTPRequest) throws(GatewayError) -> SessionEvent {
    switch order {
    case .expire, .refresh:
      let _: NoMembers = try ControlAnswer.order(request)
      return order == .expire ? .expireNow : .askForRefresh
    case .disconnect:
      let body: DisconnectOrder = try ControlAnswer.order(request)
      let standard = CloseReason.disconnected
      guard let reason = CloseReason(code: body.code ?? standard.code, name: body.reason ?? standard.name) else {
        throw .invalidParameter.detailed(
          "code must be one that may be sent (1000-1003, 1007-1014, 3000-4999), reason 123 bytes at most")
      }
      return .disconnect(reason)
    }
  }
}
