import GatewayCore
import GatewayKit

/// The address of a gateway behind a proxy: `--to`, or `upstream` of an order.
struct ProxyAddress {
  /// The host for comparison, in lower case.
  let host: String
  let port: Int
  let isTLS: Bool
  /// The address for people, e.g. `wss://realtime.example`.
  let text: String

  /// Reads an address. Throws a ``UsageError`` if it is none.
  init(_ value: Arguments.Value) throws {
    let text = value.text
    guard text.contains(bytesOf: "://") else {
      throw UsageError("\(value.source) \(text): no scheme; write wss://\(text) (or ws://, https://, http://)")
    }
    guard let url = WebAddress(text), ["ws", "wss", "http", "https"].contains(url.scheme), url.port != 0, !url.hasUser
    else {
      throw UsageError(
        value.source, value: text, expected: "an address as wss://realtime.example or http://127.0.0.1:3000")
    }
    guard ["", "/"].contains(url.path), url.query == nil, !url.hasFragment else {
      throw UsageError(
        "\(value.source) \(text): the path is the client's; leave out everything behind the host and the port")
    }
    isTLS = ["wss", "https"].contains(url.scheme)
    host = PinnedHost.plain(url.host)
    port = url.port ?? (isTLS ? 443 : 80)
    let shown = url.host.contains(":") ? "[\(url.host)]" : url.host
    self.text = "\(isTLS ? "wss" : "ws")://\(shown)\(url.port.map { ":\($0)" } ?? "")"
  }

  /// The most addresses besides that of `--to`.
  private static let othersMax = 8

  /// Reads the other addresses of a gateway. Throws a ``UsageError`` if one is none, or there is no first.
  static func others(_ values: [Arguments.Value], _ own: ProxyAddress?) throws -> [ProxyAddress] {
    guard let first = values.first else { return [] }
    guard own != nil else {
      throw UsageError("\(first.source) \(first.text) goes with --to, or with upstream of a route")
    }
    guard values.count <= othersMax else { throw UsageError("\(first.source): at most \(othersMax) addresses") }
    return try values.map(ProxyAddress.init)
  }
}
