internal import GatewayCore

/// The order that ends the gateway: `POST /drain` with `{"window_s": 30}`.
struct DrainRoute {
  let drain: @Sendable (Duration?) -> Void

  var route: HTTPRoute {
    HTTPRoute("POST", "/drain") { request, _ in startDrain(request) }
  }

  private func startDrain(_ request: HTTPRequest) -> HTTPResponse {
    do throws(GatewayError) {
      let body: DrainOrder = try ControlAnswer.order(request)
      guard (0...86400).contains(body.windowS ?? 0) else {
        throw .invalidParameter.detailed("window_s must be 0 to 86400")
      }
      drain(body.windowS.map { .saturating(seconds: $0) })
      return HTTPResponse(status: 202)
    } catch {
      return ControlAnswer.error(error)
    }
  }
}
