/// The guard that keeps web pages of other origins from what needs no login: the control port on loopback, for
/// instance, or a token provider without a secret.
///
/// A page can make its visitor's browser send a request anywhere. It cannot choose the Origin (Fetch standard, section
/// 3.1), and it cannot make the browser say a Host of ours unless that is where the page itself is from: a name of the
/// page's own that is led to this machine (DNS rebinding) stays in the Host. Programs send neither or what is true.
package struct PageGuard: Hashable, Sendable {
  /// The hosts under which the port may be asked for beside loopback's; nil for any, where a secret decides.
  private let hosts: Set<Name>?
  /// Whether every address may stand there too.
  private let takesAddresses: Bool
  /// The origins whose pages may ask all the same.
  private let origins: Set<Name>

  /// - Parameters:
  ///   - hosts: Names and addresses without a port; nil for any, where callers prove who they are.
  ///   - takesAddresses: Whether the port may be asked for by any address, as emulators give this machine (10.0.2.2 is
  ///     Android's). No name service can lead an address elsewhere.
  ///   - origins: As `https://app.example`.
  package init(hosts: [String]?, takesAddresses: Bool = false, origins: some Sequence<String> = []) {
    self.takesAddresses = takesAddresses
    self.hosts = hosts.map { hosts in
      Set(hosts.compactMap { Authority($0.contains(":") ? "[\($0)]" : $0) }.map(Self.name))
    }
    self.origins = Set(origins.map { Name($0) })
  }

  /// Why the request may not come in; nil if it may.
  package func refusal(of request: HTTPRequest) -> GatewayError? {
    let origin = request.header("origin")
    if let origin, origins.contains(Name(origin)) { return nil }
    let host = request.header("host").flatMap { Authority($0) }
    // Only HTTP/1.0 goes without, which no browser speaks.
    if let hosts, request.header("host") != nil {
      guard let host, host.isLoopback || hosts.contains(Self.name(host)) || takesAddresses && host.address != nil
      else { return .hostRefused }
    }
    if let origin {
      guard let host, let page = Authority.ofAddress(origin), page.authority.isSame(as: host, scheme: page.scheme)
      else { return .originRefused }
      return nil
    }
    return isSentByAnotherPage(request, host) ? .originRefused : nil
  }

  /// Whether a browser says without an Origin that the request is another page's. A link that is followed is not meant:
  /// its answer is shown to the person alone.
  private func isSentByAnotherPage(_ request: HTTPRequest, _ host: Authority?) -> Bool {
    let isReading = ["GET", "HEAD"].contains(request.method)
    if let site = request.header("sec-fetch-site") {
      return !["same-origin", "none"].contains(site) && !(isReading && request.header("sec-fetch-mode") == "navigate")
    }
    // Browsers before those fields sent forms with the page's address alone.
    guard !isReading, let referer = request.header("referer"), let host else { return false }
    guard let page = Authority.ofAddress(referer) else { return true }
    return !page.authority.isSame(as: host, scheme: page.scheme)
  }

  private static func name(_ host: Authority) -> Name {
    Name(host.address?.description ?? host.host)
  }
}
