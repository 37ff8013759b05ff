import GatewayCore
import GatewayKit
import GatewayRuntime

/// The address of a worker: `10.0.0.7:7300`, or with a scheme, `https://10.0.0.7:7300`.
///
/// Without a scheme it has TLS unless the host is loopback. Only there may it have none: the secret goes over the wire.
struct WorkerAddress: Hashable, CustomStringConvertible {
  let host: String
  let port: UInt16
  let isTLS: Bool

  /// The address of a worker that is given none.
  static let usual = WorkerAddress(host: "127.0.0.1", port: 7300, isTLS: false)

  private static let expected = "HOST:PORT or https://HOST:PORT, as 10.0.0.7:7300 or [::1]:7300"

  private init(host: String, port: UInt16, isTLS: Bool) {
    self.host = host
    self.port = port
    self.isTLS = isTLS
  }

  /// Reads the address that a storm connects to.
  init(_ value: Arguments.Value) throws {
    let schemes = ["http://", "https://"]
    let scheme = schemes.first { value.text.utf8.starts(with: $0.utf8) }
    var text = value.text.dropFirst(scheme?.count ?? 0)
    if scheme != nil, text.utf8.last == UInt8(ascii: "/") { text = text.dropLast() }
    guard let (host, port) = Self.read(text, ports: 1...UInt16.max) else {
      throw UsageError(value.source, value: value.text, expected: Self.expected)
    }
    let isTLS = scheme.map { $0 == "https://" } ?? !Self.isLoopback(host)
    guard isTLS || Self.isLoopback(host) else {
      throw UsageError("\(value.source): \(value.text) is not loopback, and the secret goes there: give https://")
    }
    self.init(host: host, port: port, isTLS: isTLS)
  }

  /// Reads the address that a worker listens on. Port 0 is any that is free.
  init(listeningOn value: Arguments.Value, isTLS: Bool) throws {
    guard let (host, port) = Self.read(value.text[...], ports: 0...UInt16.max) else {
      throw UsageError(value.source, value: value.text, expected: "HOST:PORT, as 10.0.0.7:7300 or [::1]:7300")
    }
    self.init(host: host, port: port, isTLS: isTLS)
  }

  private static func read(_ text: Substring, ports: ClosedRange<UInt16>) -> (host: String, port: UInt16)? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let host = parts.dropLast().joined(separator: ":")
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    guard let port = parts.last.flatMap({ UInt16($0) }), ports.contains(port), !bare.isEmpty,
      !bare.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "/") || $0 == 0x7f }),
      parts.count == 2 || host != bare
    else { return nil }
    return (bare, port)
  }

  private static func isLoopback(_ host: String) -> Bool {
    PinnedHost.plain(host) == "localhost" || IPAddress(host)?.isLoopback == true
  }

  var isLoopback: Bool { Self.isLoopback(host) }

  var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
