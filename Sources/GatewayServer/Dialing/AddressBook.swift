internal import GatewayCore
internal import GatewayRuntime

/// A cache of the addresses of the hosts that a loop dials, because the name service blocks the loop. After a failure the
/// host's next address is tried first. Only on its loop.
final class AddressBook {
  private struct Entry {
    var addresses: [SocketAddress]
    /// The index of the address to try first.
    var preferred = 0
    let until: Instant
  }

  private struct Key: Hashable {
    let host: String
    let port: Int
    let pinned: [String]

    init(_ target: DialTarget) {
      host = target.host
      port = target.port
      pinned = target.addresses
    }
  }

  private var entries: [Key: Entry] = [:]
  private var sources: [String: [SocketAddress]] = [:]
  private static let lifetime = Duration.seconds(30)
  private static let entriesMax = 256

  /// Returns the addresses of a target, the best first.
  func addresses(of target: DialTarget, at now: Instant) -> Result<[SocketAddress], ResolutionFailure> {
    let key = Key(target)
    if let entry = entries[key], entry.until > now {
      return .success(Array(entry.addresses[entry.preferred...] + entry.addresses[..<entry.preferred]))
    }
    return Self.resolve(target).map { addresses in
      if entries.count >= Self.entriesMax { entries.removeAll() }
      entries[key] = Entry(addresses: addresses, until: now + Self.lifetime)
      return addresses
    }
  }

  /// Returns the source address in a text, of that family; nil if there is none.
  func source(_ text: String, family: CInt) -> SocketAddress? {
    if sources[text] == nil {
      if sources.count >= Self.entriesMax { sources.removeAll() }
      sources[text] = (try? SocketAddress.resolve(host: text, port: 0).get()) ?? []
    }
    return sources[text]?.first { $0.family == family }
  }

  /// Marks the best address as failed, so that the next is tried first.
  func demote(_ target: DialTarget) {
    let key = Key(target)
    guard let entry = entries[key], entry.addresses.count > 1 else { return }
    entries[key]!.preferred = (entry.preferred + 1) % entry.addresses.count
  }

  /// Resolves a target. If it has fixed addresses, the name service is not asked.
  private static func resolve(_ target: DialTarget) -> Result<[SocketAddress], ResolutionFailure> {
    guard !target.addresses.isEmpty else { return SocketAddress.resolve(host: target.host, port: target.port) }
    var all: [SocketAddress] = []
    for address in target.addresses {
      switch SocketAddress.resolve(host: address, port: target.port, isAddress: true) {
      case .success(let found): all += found
      case .failure(let failure): return .failure(failure)
      }
    }
    return .success(all)
  }
}
