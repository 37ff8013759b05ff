import GatewayCore
import GatewayKit
import GatewayRuntime

/// A URL that a storm or `postern connect` connects to.
struct StormAddress {
  var target: DialTarget
  /// Path and query, percent-encoded; nil if the URL has none.
  let path: String?

  /// Parses the URL.
  ///
  /// - Parameters:
  ///   - value: The flag's value.
  ///   - schemes: The scheme without TLS, and the one with it.
  ///   - isInsecure: Whether untrusted certificates are accepted.
  ///   - web: The flag that takes an address of `http` or `https`, if there is another one.
  init(
    _ value: Arguments.Value, schemes: (plain: String, secure: String), isInsecure: Bool, web: String? = nil
  ) throws {
    let url = WebAddress(value.text)
    guard let url, [schemes.plain, schemes.secure].contains(url.scheme), !url.hasUser, url.port != 0, !url.hasFragment
    else {
      let isOther = url.map { ["http", "https"].contains($0.scheme) } ?? false
      throw UsageError(
        value.source, value: value.text,
        expected: "an address as \(schemes.plain)://127.0.0.1:8080 or \(schemes.secure)://host"
          + (isOther ? web.map { "; a control port's address is for --\($0)" } ?? "" : ""))
    }
    let isTLS = url.scheme == schemes.secure
    target = DialTarget(
      host: url.host, port: url.port ?? (isTLS ? 443 : 80), isTLS: isTLS, allowsUntrustedCertificate: isInsecure)
    let query = url.query.map { "?\($0)" } ?? ""
    path = ["", "/"].contains(url.path) && query.isEmpty ? nil : url.path + query
  }

  /// Creates the address of a target, without a path.
  init(_ target: DialTarget) {
    self.target = target
    path = nil
  }

  /// The same host and port for HTTP.
  var provider: DialTarget { target }

  /// Returns the address as text for people.
  func text(scheme: String, defaultPath: String) -> String {
    let host = target.host.contains(":") ? "[\(target.host)]" : target.host
    return "\(scheme)\(target.isTLS ? "s" : "")://\(host):\(target.port)\(path ?? defaultPath)"
  }
}
