/// The name service of the system, for who dials a name: a storm asks it once for its target, for instance, and dials
/// the addresses from then on.
package enum NameService {
  /// Not more of them are kept.
  private static let addressesMax = 16

  /// The addresses of a host as text, in the order in which they are to be tried; a host that is an address is its own.
  /// May take seconds. Throws the system's reason.
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
