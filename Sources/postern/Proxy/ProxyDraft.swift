import GatewayCore
import GatewayKit

/// The values of the flags of `postern proxy`, before they are checked together.
struct ProxyDraft: Sendable {
  // MARK: Addresses

  var to: Arguments.Value?
  /// The other addresses of the gateway.
  var others: [Arguments.Value] = []
  /// The hosts other than this machine that the proxy may lead to.
  var proxied: [Arguments.Value] = []
  var host = "127.0.0.1"
  var port = 8080
  var networks: [IPNetwork] = []
  /// The names of the proxy itself.
  var names: [String] = []
  var tls = CertificateFlags()
  /// The folder of the authority for the hosts of tunnels.
  var authority: Arguments.Value?

  // MARK: The target

  var headers: [Arguments.Value] = []
  var authorityPath: String?
  var identity = CertificateFlags()
  var allowsUntrusted = false

  // MARK: The control port

  var control = ProxyControlDraft()

  // MARK: Recording

  var recordPath: String?
  var recordBytesMax: Int?

  // MARK: Routes

  var hostsSpaces = false
  var spaces = SpacesDraft()
  var endsWithInput = false

  // MARK: Limits

  var connectionsMax: Int?
  var dialsPerSecond: Double?
  var requestsPerSecond: Double?
  var bytesPerSecond: Double?
  var messageBytesMax = 1 << 20
  /// The hosts that storms may reach through the proxy.
  var stormed: [Arguments.Value] = []
}
