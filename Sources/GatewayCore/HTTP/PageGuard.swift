/// A guard against web pages of other origins, for resources that need no login.
///
/// Such resources are the control port on loopback, a token provider without a secret, and a proxy. A page can make its visitor's
/// browser send a request anywhere. The page cannot choose the Origin (Fetch standard, section 3.1). It also cannot make the
/// browser send one of our Host names unless the page comes from there: if the page's own name is pointed to this machine
/// (DNS rebinding), the Host still has that name. Other programs send neither field, or true values.
package struct PageGuard: Hashable, Sendable {
  /// The pages that may send requests, besides pages of the listed origins.
  package enum Pages: Hashable, Sendable {
    /// Pages of the resource's own origin.
    case own
    /// Pages of this machine, on any port.
    case ofThisMachine
    /// All pages; only the Host is looked at.
    case any
  }

  /// The allowed values of Host besides loopback; nil for any, where a secret is required.
  private let hosts: Set<Name>?
  /// Whether every IP address is allowed as Host too.
  private let takesAddresses: Bool
  /// The origins whose pages may send requests, although they are foreign.
  private let origins: Set<Name>
  private let pages: Pages

  /// - Parameters:
  ///   - hosts: Names and addresses without a port; nil for any, where callers authenticate themselves.
  ///   - takesAddresses: Whether any IP address is allowed as Host, e.g. those by which emulators reach this machine
  ///     (10.0.2.2 on Android). No name service can point an address elsewhere.
  ///   - origins: The allowed origins, in the form `https://app.example`.
  ///   - pages: The other pages that are allowed.
  package init(
    hosts: [String]?, takesAddresses: Bool = false, origins: some Sequence<String> = [], pages: Pages = .own
  ) {
    self.takesAddresses = takesAddresses
    self.pages = pages
    self.hosts = hosts.map { hosts in
      Set(hosts.compactMap { Authority($0.contains(":") ? "[\($0)]" : $0) }.map(Self.name))
    }
    self.origins = Set(origins.map { Name($0) })
  }

  /// Returns the error for a request that is refused; nil if it is allowed.
  package func refusal(of request: HTTPRequest) -> GatewayError? {
    let origin = request.header("origin")
    if let origin, origins.contains(Name(origin)) { return nil }
    let host = request.header("host").flatMap { Authority($0) }
    // Only HTTP/1.0 requests lack a Host, and no browser sends them.
    if let hosts, request.header("host") != nil {
      guard let host, host.isLoopback || hosts.contains(Self.name(host)) || takesAddresses && host.address != nil
      else { return .hostRefused }
    }
    guard pages != .any else { return nil }
    if let origin {
      guard let host, let page = Authority.ofAddress(origin) else { return .originRefused }
      let isAllowed = page.authority.isSame(as: host, scheme: page.scheme)
      return isAllowed || pages == .ofThisMachine && page.authority.isLoopback ? nil : .originRefused
    }
    return isSentByAnotherPage(request, host) ? .originRefused : nil
  }

  /// Returns whether the browser reports, without an Origin, that another page sent the request. Following a link is
  /// allowed: only the person sees the answer.
  private func isSentByAnotherPage(_ request: HTTPRequest, _ host: Authority?) -> Bool {
    let isReading = ["GET", "HEAD"].contains(request.method)
    if let site = request.header("sec-fetch-site") {
      return !["same-origin", "none"].contains(site) && !(isReading && request.header("sec-fetch-mode") == "navigate")
    }
    // Browsers without those fields sent forms with only the page's address (Referer).
    guard !isReading, let referer = request.header("referer"), let host else { return false }
    guard let page = Authority.ofAddress(referer) else { return true }
    return !page.authority.isSame(as: host, scheme: page.scheme)
  }

  private static func name(_ host: Authority) -> Name {
    Name(host.address?.description ?? host.host)
  }
}
