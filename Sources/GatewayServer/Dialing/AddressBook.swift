internal import GatewayCore

/// The addresses of the hosts a loop dials, kept for a while: the name service makes the loop wait. Only on its loop.
final class AddressBook {
  private struct Entry {
    var addresses: [SocketAddress]
    /// The one to try first.
    var preferred = 0
    let until: Instant
  }

  private struct Key: Hashable {
    let host: String
    let port: Int
  }

  private var entries: [Key: Entry] = [:]
  private static let lifetime = Duration.seconds(30)
  private static let entriesMax = 256

  /// The addresses of a host, the best first.
  func addresses(host: String, port: Int, at now: Instant) -> Result<[SocketAddress], ResolutionFailure> {
    let key = Key(host: host, port: port)
    if let entry = entries[key], entry.until > now {
      return .success(Array(entry.addresses[entry.preferred...] + entry.addresses[..<entry.preferred]))
    }
    return SocketAddress.resolve(host: host, port: port).map { addresses in
      if entries.count >= Self.entriesMax { entries.removeAll() }
      entries[key] = Entry(addresses: addresses, until: now + Self.lifetime)
      return addresses
    }
  }

  /// Notes that the best address failed, so that the next is tried first.
  func demote(host: String, port: Int) {
    let key = Key(host: host, port: port)
    guard let entry = entries[key], entry.addresses.count > 1 else { return }
    entries[key]!.preferred = (entry.preferred + 1) % entry.addresses.count
  }
}
