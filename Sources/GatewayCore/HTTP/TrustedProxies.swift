/// The proxies in front of the gateway that are trusted to name a client's address, as addresses and networks.
///
/// Any client can send `X-Forwarded-For`, so a hop's entry counts only if the hop itself is listed here.
package struct TrustedProxies: Hashable, Sendable {
  private let networks: [IPNetwork]

  package init(_ networks: [IPNetwork] = []) {
    self.networks = networks
  }

  package var isEmpty: Bool { networks.isEmpty }

  package func contains(_ address: IPAddress) -> Bool {
    networks.contains { $0.contains(address) }
  }

  /// Returns whether the peer with that address is one of them.
  package func contain(peer: String) -> Bool {
    guard !isEmpty, let address = IPAddress(peer) else { return false }
    return contains(address)
  }

  /// Returns the address of the client whose request with these fields came from `peer`: the last hop that is not a
  /// trusted proxy. A `peer` that is not trusted is itself the client. If the hop before a trusted proxy has no
  /// address, the proxy counts as the client. Such a hop is `unknown`, an obfuscated identifier (RFC 7239 section 6.3)
  /// or malformed.
  ///
  /// Both `Forwarded` (RFC 7239) and `X-Forwarded-For` are read. A proxy that writes one of them forwards the other
  /// unchanged from the client, so if the two disagree, neither is trusted and `peer` is returned.
  package func client(of headers: [HTTPField], from peer: String) -> String {
    guard !isEmpty, let address = IPAddress(peer), contains(address) else { return peer }
    let chains = headers.compactMap { field -> [String?]? in
      switch field.name {
      case "forwarded": ForwardedField.hops(in: field.value)
      case "x-forwarded-for":
        field.value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
          ForwardedField.trimmed(Substring($0))
        }
      default: nil
      }
    }
    let clients = Set(chains.map { client(through: $0, from: address) })
    return clients.count == 1 ? clients.first?.description ?? peer : peer
  }

  /// - Parameter hops: The hops in the order in which they were added, the client's first; nil for a hop without a
  ///   name.
  private func client(through hops: [String?], from peer: IPAddress) -> IPAddress {
    var last = peer
    for hop in hops.reversed() {
      guard let hop, let address = ForwardedField.address(of: hop) else { return last }
      last = address
      guard contains(address) else { return last }
    }
    return last
  }
}
