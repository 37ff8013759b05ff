/// A registered public client: no secret, PKCE in its place (RFC 8252 section 8.4).
package struct OpenIDClient: Hashable, Sendable {
  package let id: String
  /// Where codes may be sent.
  package var redirects: [String]
  /// Where browsers may be sent after logging out.
  package var logoutRedirects: [String]

  package init(id: String, redirects: [String], logoutRedirects: [String] = []) {
    self.id = id
    self.redirects = redirects
    self.logoutRedirects = logoutRedirects
  }

  /// The vendor's sample application (`OpenIdHelper.swift`), and programs on the same machine.
  package static let standard = OpenIDClient(
    id: "streem-sdk",
    redirects: [
      "pro.streem.sdk.StreemNow:/oauth-callback", "http://127.0.0.1/callback", "http://[::1]/callback",
      "http://localhost/callback",
    ],
    logoutRedirects: [
      "pro.streem.sdk.StreemNow:/logoutcallback", "http://127.0.0.1/logged-out", "http://[::1]/logged-out",
      "http://localhost/logged-out",
    ])

  func mayReturn(to address: String) -> Bool {
    Self.isOne(address, of: redirects)
  }

  func mayLogOut(to address: String) -> Bool {
    Self.isOne(address, of: logoutRedirects)
  }

  /// Compares text by text (RFC 9700 section 2.1), but for the port of a loopback address, which the system chooses
  /// (RFC 8252 section 7.3).
  private static func isOne(_ address: String, of registered: [String]) -> Bool {
    let portless = withoutLoopbackPort(address)
    return registered.contains { known in
      known == address || portless.map { $0 == withoutLoopbackPort(known) } ?? false
    }
  }

  /// The address without its port if it is one of this machine over `http`; nil if it is not.
  private static func withoutLoopbackPort(_ address: String) -> String? {
    for origin in ["http://127.0.0.1", "http://[::1]", "http://localhost"] where address.hasPrefix(origin) {
      var rest = address.dropFirst(origin.count)
      if rest.first == ":" {
        rest = rest.dropFirst()
        let port = rest.prefix { $0.isASCII && $0.isNumber }
        guard UInt16(port) != nil else { return nil }
        rest = rest.dropFirst(port.count)
      }
      guard rest.isEmpty || rest.first == "/" || rest.first == "?" else { return nil }
      return origin + rest
    }
    return nil
  }

  /// Whether `address` can be registered: absolute, without a fragment (RFC 6749 section 3.1.2), without a scheme that
  /// runs something.
  package static func isRedirect(_ address: String) -> Bool {
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
