internal import GatewayCore
internal import GatewayRuntime

/// The order that reads keys, secrets and the certificate again: `POST /reload`.
struct ReloadRoute {
  let gateway: Gateway
  let reload: ControlSite.Reload

  var route: HTTPRoute {
    HTTPRoute("POST", "/reload") { request, _ in await answer(request) }
  }

  private func answer(_ request: HTTPRequest) async -> HTTPResponse {
    do throws(GatewayError) {
      let _: NoMembers = try ControlAnswer.order(request)
      let answer = try await reload().get()
      gateway.log(
        .info, "order",
        [.init("order", "reload"), .init("keys", answer.keys.result.rawValue)]
          + (answer.certificate.map { [.init("certificate", $0.result.rawValue)] } ?? [])
          + (OrderCaller.current?.fields ?? []))
      return ControlAnswer.json(answer)
    } catch {
      return ControlAnswer.error(error)
    }
  }
}
