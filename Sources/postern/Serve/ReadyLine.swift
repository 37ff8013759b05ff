import GatewayJSON
import GatewayProcess
import Glibc

/// The one line on standard output with the gateway's addresses, for the process that started it:
/// `{…,"event":"ready",…,"port":8080,…}`.
struct ReadyLine: Encodable {
  let event = "ready"
  let url: String
  let http_url: String
  let port: Int
  let control_url: String
  let control_port: Int
  let hosts: [String]
  let loops: Int
  let pid: Int32
  /// The name and number of the process among the processes with a common store; absent if it has the store for itself.
  let node: String?
  let slot: Int?

  init(_ running: RunningGateway, _ settings: GatewaySettings) {
    let host = Self.literal(running.hosts[0])
    let letter = settings.tls == nil ? "" : "s"
    url = "ws\(letter)://\(host):\(running.port)"
    http_url = "http\(letter)://\(host):\(running.port)"
    port = running.port
    control_url = "http://\(Self.literal(settings.controlHost)):\(running.controlPort)"
    control_port = running.controlPort
    hosts = running.hosts
    loops = settings.loops
    pid = getpid()
    node = running.node?.name
    slot = running.node?.slot
  }

  /// Returns the host in the form for a URL.
  private static func literal(_ host: String) -> String {
    host.contains(":") ? "[\(host)]" : host
  }

  func json() throws -> String {
    try JSONCoder(layout: .sorted).text(self)
  }
}
