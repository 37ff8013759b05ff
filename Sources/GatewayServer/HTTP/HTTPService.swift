internal import GatewayCore
internal import GatewayRuntime

/// The site of a listener as one loop serves it, with the state of its requests.
struct HTTPService: Sendable {
  let site: any Site
  let proxies: TrustedProxies
  let refusals: TransportRefusals
  /// The tunnels that clients may open; nil for none.
  var tunnels: TunnelSettings?
  let requests = RequestsUnderWay()
  let uploads = UploadRoom()
}
