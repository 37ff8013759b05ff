internal import GatewayCore
internal import GatewayRuntime

/// The site of a listener as one loop serves it, with the state of its requests.
struct HTTPService: Sendable {
  let site: any Site
  let proxies: TrustedProxies
  let refusals: TransportRefusals
  let requests = RequestsUnderWay()
  let uploads = UploadRoom()
}
