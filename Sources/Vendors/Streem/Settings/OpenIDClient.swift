internal import GatewayCore

/// A registered public client, which has no secret and uses PKCE (RFC 8252 section 8.4).
struct OpenIDClient: Hashable, Sendable {
  let id: Name
  /// The URLs to which codes may be sent.
  var redirects: [Name]
  /// The URLs to which browsers may be sent after a logout.
  var logoutRedirects: [Name] = []
  /// The algorithm of its ID tokens.
  var signing: Signing = .rs256

  /// The algorithms of ID tokens: RS256 unless the client was registered with another (OpenID Connect Core section 2).
  enum Signing: String, Hashable, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
  }

  /// The default client, for the vendor's sample application (`OpenIdHelper.swift`) and for programs on the same
  /// machine.
  static let standard = OpenIDClient(
    id: "streem-sdk",
    redirects: [
      "pro.streem.sdk.StreemNow:/oauth-callback", "http://127.0.0.1/callback", "http://[::1]/callback",
      "http://localhost/callback",
    ],
    logoutRedirects: [
      "pro.streem.sdk.StreemNow:/logoutcallback", "http://127.0.0.1/logged-out", "http://[::1]/logged-out",
      "http://localhost/logged-out",
    ])

  func mayReturn(to address: Name) -> Bool {
    Self.isOne(address, of: redirects)
  }

  func mayLogOut(to address: Name) -> Bool {
    Self.isOne(address, of: logoutRedirects)
  }

  /// Compares URLs byte by byte (RFC 9700 section 2.1), except for the port of a loopback address, which the system
  /// chooses (RFC 8252 section 7.3).
  private static func isOne(_ address: Name, of registered: [Name]) -> Bool {
    let portless = withoutLoopbackPort(address)
    return registered.contains { known in
      known == address || portless.map { $0 == withoutLoopbackPort(known) } ?? false
    }
  }

  /// Returns a loopback `http` URL without its port; nil for another URL.
  private static func withoutLoopbackPort(_ address: Name) -> Name? {
    let address = address.text.utf8
    for origin in ["http://127.0.0.1", "http://[::1]", "http://localhost"] where address.starts(with: origin.utf8) {
      var rest = address.dropFirst(origin.utf8.count)
      if rest.first == UInt8(ascii: ":") {
        rest = rest.dropFirst()
        let port = rest.prefix { (0x30...0x39).contains($0) }
        guard UInt16(Substring(port)) != nil else { return nil }
        rest = rest.dropFirst(port.count)
      }
      guard rest.isEmpty || rest.first == UInt8(ascii: "/") || rest.first == UInt8(ascii: "?") else { return nil }
      return Name(origin + Substring(rest))
    }
    return nil
  }

  /// Returns whether `address` can be registered: absolute, without a fragment (RFC 6749 section 3.1.2), and without a
  /// scheme that runs code.
  static func isRedirect(_ address: String) -> Bool {
    guard let colon = address.firstIndex(of: ":"), address.utf8.count <= 2_000 else { return false }
    let scheme = address[..<colon].lowercased()
    guard let first = scheme.first, first.isASCII, first.isLetter,
      scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }),
      !["javascript", "data", "vbscript", "file", "blob"].contains(scheme)
    else { return false }
    return address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }
      && address.index(after: colon) < address.endIndex
  }
}
