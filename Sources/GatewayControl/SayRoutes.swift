internal import GatewayCore
internal import GatewayRuntime

/// The routes that send an operator's message to one session, to a user's sessions, or to all, e.g.
/// `POST /users/ann/say`.
struct SayRoutes {
  let gateway: any Controllable

  var routes: [HTTPRoute] {
    [
      HTTPRoute("POST", "/sessions/{id}/say") { request, parameters in
        await run(request, [.init("connection", parameters["id"])]) { (saying) throws(GatewayError) in
          guard let id = ConnectionID(parameters["id"]) else { return nil }
          return try await gateway.say(saying, to: .connection(id))
        }
      },
      HTTPRoute("POST", "/users/{id}/say") { request, parameters in
        await run(request, [.init("user", parameters["id"])]) { (saying) throws(GatewayError) in
          try await gateway.say(saying, to: .user(UserID(parameters["id"])))
        }
      },
      HTTPRoute("POST", "/sessions/say") { request, _ in
        await run(request, []) { (saying) throws(GatewayError) in try await gateway.say(saying, to: .everybody) }
      },
    ]
  }

  /// Carries out an order. `say` returns nil if its target does not exist.
  private func run(
    _ request: HTTPRequest, _ target: [LogEvent.Field],
    _ say: nonisolated(nonsending) (Saying) async throws(GatewayError) -> SayingsDone?
  ) async -> HTTPResponse {
    let (saying, done): (Saying, SayingsDone)
    do throws(GatewayError) {
      let order: SayOrder = try ControlAnswer.order(request)
      saying = try Saying(text: order.text, base64: order.base64, mean: order.mean)
      guard let reached = try await say(saying) else {
        throw .notFound.detailed("no session has the id in the path; GET /sessions lists them")
      }
      done = reached
      guard done.told > 0 || done.wordless == 0 else {
        throw .invalidParameter.detailed("the wire has no words for \(saying.summary); send its own as text or base64")
      }
    } catch {
      return ControlAnswer.error(error)
    }
    gateway.log(
      .info, "order",
      [.init("order", "say")] + target + [.init("message", saying.summary)]
        + Reached(sessions: done.told, missing: done.missing).fields
        + (OrderCaller.current?.fields ?? []))
    return ControlAnswer.json(SessionsReached(Reached(sessions: done.told, missing: done.missing)))
  }
}
