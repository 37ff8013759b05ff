/// The host of a token endpoint: its own, e.g. `https://login.example:443`, or the one on the command line.
package struct EndpointPlace: Hashable, Sendable {
  package let host: String
  package let port: Int
  package let isTLS: Bool

  /// The text for people.
  package var text: String {
    "\(isTLS ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// Splits an absolute URL into its place and the rest; returns nil for another text.
  static func split(_ url: String) -> (place: EndpointPlace, rest: Substring)? {
    let isTLS = url.hasPrefix("https://")
    guard isTLS || url.hasPrefix("http://") else { return nil }
    let behind = url.dropFirst(isTLS ? 8 : 7)
    let end = behind.firstIndex { "/?".contains($0) } ?? behind.endIndex
    let authority = behind[..<end]
    let isBracketed = authority.hasPrefix("[")
    let hostEnd: Substring.Index
    if isBracketed {
      guard let closing = authority.firstIndex(of: "]") else { return nil }
      hostEnd = authority.index(after: closing)
    } else {
      hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
    }
    let host = isBracketed ? authority[..<hostEnd].dropFirst().dropLast() : authority[..<hostEnd]
    let port = authority[hostEnd...]
    let number = port.isEmpty ? (isTLS ? 443 : 80) : port.hasPrefix(":") ? Int(port.dropFirst()) ?? 0 : 0
    let isName = host.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._:".utf8.contains(byte)
    }
    guard !host.isEmpty, isName, (1...65_535).contains(number) else { return nil }
    return (EndpointPlace(host: String(host).lowercased(), port: number, isTLS: isTLS), behind[end...])
  }
}
