package import GatewayCore
package import GatewayKit
package import GatewayRedis

/// The store of a gateway, as an operator writes it: e.g. `memory`, `sqlite:/var/lib/postern/store` or
/// `rediss://redis-1:6379`, or `rediss+sentinel://sentinel-1,sentinel-2/mymaster`.
package enum StoreChoice: Hashable, Sendable {
  /// A store in the process, which is gone when the process ends.
  case memory
  /// A store in a file that outlives the process.
  case sqlite(path: String)
  /// A store on a Redis server.
  case redis(RedisSettings)

  /// Reads `memory`; `sqlite:` and the path of a file; or `redis://`, with TLS `rediss://`, a host and perhaps a port; or
  /// `redis+sentinel://`, with TLS `rediss+sentinel://`, up to 16 of them with commas between, `/` and the primary's name.
  /// Returns nil for anything else, e.g. for a URL with a password.
  package init?(_ text: String) {
    if text == "memory" {
      self = .memory
    } else if text.hasPrefix("sqlite:"), text.utf8.count > "sqlite:".utf8.count {
      self = .sqlite(path: String(text.dropFirst("sqlite:".count)))
    } else if let scheme = ["redis://", "rediss://"].first(where: { text.hasPrefix($0) }),
      let authority = Authority(text.dropFirst(scheme.utf8.count))
    {
      let port = authority.port ?? Self.redisPort
      guard port > 0 else { return nil }
      self = .redis(RedisSettings(LinkTarget(host: authority.host, port: port, isTLS: scheme == "rediss://")))
    } else if let scheme = ["redis+sentinel://", "rediss+sentinel://"].first(where: { text.hasPrefix($0) }),
      let settings = Self.sentinels(text.dropFirst(scheme.utf8.count), isTLS: scheme.hasPrefix("rediss"))
    {
      self = .redis(settings)
    } else {
      return nil
    }
  }

  private static func sentinels(_ text: Substring, isTLS: Bool) -> RedisSettings? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    var targets: [LinkTarget] = []
    for part in parts[0].split(separator: ",", omittingEmptySubsequences: false) {
      guard targets.count < RedisSentinels.countMax, let authority = Authority(part) else { return nil }
      let port = authority.port ?? sentinelPort
      guard port > 0 else { return nil }
      targets.append(LinkTarget(host: authority.host, port: port, isTLS: isTLS))
    }
    return RedisSentinels(targets, name: String(parts[1])).map { RedisSettings($0, isTLS: isTLS) }
  }

  /// Returns the bus of the processes that share the store; nil if it has none, as a file.
  ///
  /// - Parameters:
  ///   - life: The life of this process.
  ///   - loop: The loop on which messages are received.
  ///   - trouble: A function that is called with each reason why messages may be lost.
  package func bus(
    as life: NodeBoot, on loop: any LinkLoop, trouble: @escaping @Sendable (String) -> Void
  ) -> RedisBus? {
    guard case .redis(let settings) = self else { return nil }
    return RedisBus(settings, as: life, on: loop, trouble: trouble)
  }

  private static let redisPort = 6379
  private static let sentinelPort = 26_379

  /// Opens the store. A store in memory runs on `executor`.
  ///
  /// - Parameters:
  ///   - executor: The executor of a store in memory.
  ///   - links: The loops that open connections to a server, one for each of theirs.
  ///   - isShared: Whether other processes use the store at the same time.
  ///   - setsDamagedAside: Whether rows that cannot be read are moved away and treated as absent.
  ///   - trouble: A function that is called with each reason why the store cannot do its work.
  /// - Throws: `SQLiteFileError` or `RedisStartError`.
  package func open(
    on executor: any SerialExecutor, links: [any LinkLoop], isShared: Bool = false, setsDamagedAside: Bool = false,
    trouble: @escaping @Sendable (String) -> Void
  ) async throws -> any Store {
    switch self {
    case .memory:
      return MemoryStore(on: executor)
    case .sqlite(let path):
      return try SQLiteStore(path: path, isShared: isShared, setsDamagedAside: setsDamagedAside, trouble: trouble)
    case .redis(var settings):
      settings.isShared = isShared
      return try await RedisStore.open(settings, on: links, setsDamagedAside: setsDamagedAside, trouble: trouble)
    }
  }
}
