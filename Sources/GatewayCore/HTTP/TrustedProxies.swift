/// The proxies in front of the gateway whose word on a client's address is taken, as addresses and networks:
/// 10.0.0.0/8, for instance.
///
/// Anybody can send `X-Forwarded-For`, so a hop's word counts only if the hop itself is named here.
package struct TrustedProxies: Hashable, Sendable {
  private let networks: [IPNetwork]

  package init(_ networks: [IPNetwork] = []) {
    self.networks = networks
  }

  package var isEmpty: Bool { networks.isEmpty }

  package func contains(_ address: IPAddress) -> Bool {
    networks.contains { $0.contains(address) }
  }

  /// The address of the client of whom a request of these fields came from `peer`: the last hop that is no proxy of
  /// ours. It is `peer` itself where that is none, and the last proxy of ours where the hop before it has no address:
  /// `unknown`, an obfuscated identifier (RFC 7239 section 6.3), garbage.
  ///
  /// `Forwarded` (RFC 7239) and `X-Forwarded-For` are both taken. A proxy that writes one lets a client's own of the other
  /// through; where they do not come to the same, neither is believed.
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

  /// - Parameter hops: In the order in which they were added, the client's first; nil for one without a name.
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
