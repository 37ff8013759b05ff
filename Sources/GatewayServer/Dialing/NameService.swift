/// The system's name service. A storm asks it once for its target and then dials the addresses.
package enum NameService {
  /// The maximum number of addresses that are kept.
  private static let addressesMax = 16

  /// Returns the addresses of a host as text, in the order to try them; an address is its own. May take seconds. Throws the
  /// system's reason.
  package static func addresses(of host: String) throws(ServerError) -> [String] {
    switch SocketAddress.resolve(host: host, port: 0) {
    case .success(let found):
      var addresses: [String] = []
      for text in found.map(\.text) where !addresses.contains(text) && addresses.count < addressesMax {
        addresses.append(text)
      }
      return addresses
    case .failure(let failure): throw .unknownHost(host, reason: failure.reason)
    }
  }
}
