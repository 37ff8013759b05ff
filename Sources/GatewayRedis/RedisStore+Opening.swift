package import GatewayCore
internal import GatewayKit

/// Why a Redis server cannot be a gateway's store, with what to do.
package struct RedisStartError: LastingFailure, Hashable {
  package let description: String
  /// Whether the error lasts until an operator acts. A server that is away may come back by itself.
  package let isLasting: Bool
}

extension RedisStore {
  /// The least major version of a server that is accepted.
  private static let versionMin = 7
  /// The time between two looks at a lease that another process holds.
  private static let patience = Duration.milliseconds(500)
  private static let failoverPatience = Duration.seconds(10)

  /// Opens the store: checks the server and takes the lease of the prefix. If the lease is held by a process that does
  /// not renew it any more, waits for its end, at most ten seconds.
  package static func open(
    _ settings: RedisSettings, on loops: [any LinkLoop], setsDamagedAside: Bool = false,
    trouble: @escaping @Sendable (String) -> Void
  ) async throws(RedisStartError) -> RedisStore {
    let store = RedisStore(settings, on: loops, setsDamagedAside: setsDamagedAside, trouble: trouble)
    try await store.check()
    try await store.takeLease()
    return store
  }

  private func refusal(_ text: String, isLasting: Bool = true) -> RedisStartError {
    RedisStartError(description: "\(settings.server): \(text)", isLasting: isLasting)
  }

  private func ask(_ commands: [RedisCommand]) async throws(RedisStartError) -> [RedisReply] {
    switch await lanes[0].ask(commands) {
    case .failure(let failure):
      let lasts = ["--store-", "in --store", "replica", "wants a certificate", "bad certificate"].contains {
        failure.reason.contains(bytesOf: $0)
      }
      throw RedisStartError(description: failure.reason, isLasting: lasts)
    case .success(let replies):
      for reply in replies {
        if case .error(let text) = reply { throw refusal(text, isLasting: text.hasPrefix("NOPERM")) }
      }
      return replies
    }
  }

  // MARK: Checks

  /// Checks the server. Where Sentinels name it, this waits for them and for the end of a failover, for at most ten seconds.
  private func check() async throws(RedisStartError) {
    let end = await now() + (settings.sentinels == nil ? .zero : Self.failoverPatience)
    while true {
      do throws(RedisStartError) {
        return try await checkOnce()
      } catch {
        guard !error.isLasting, await now() < end else { throw error }
      }
      await pause()
    }
  }

  private func checkOnce() async throws(RedisStartError) {
    let replies = try await ask([RedisCommand("INFO")])
    guard case .bytes(let info) = replies[0] else { throw refusal("it answers as no Redis does") }
    if let fault = Self.fault(in: String(decoding: info, as: UTF8.self), for: settings) {
      // Servers that Sentinels watch change their roles, and have fewer replicas after a failover.
      throw refusal(fault, isLasting: settings.sentinels == nil || !fault.contains(bytesOf: "replica"))
    }
  }

  /// Returns what keeps a server from being the store, by the text of its `INFO`; nil if nothing does.
  static func fault(in info: String, for settings: RedisSettings) -> String? {
    var values: [String: String] = [:]
    for line in Array(info.utf8).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).prefix(1_000) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      values[String(decoding: line[..<colon], as: UTF8.self)] = String(decoding: line[(colon + 1)...], as: UTF8.self)
    }
    let version = values["redis_version"] ?? ""
    let major = version.utf8.split(separator: UInt8(ascii: ".")).first.flatMap {
      Int(String(decoding: $0, as: UTF8.self))
    }
    guard let major, major >= versionMin else {
      return "its version is '\(version.prefix(20))'; use Redis 7.0 or later, or Valkey"
    }
    guard values["role"] == "master" else { return "it is a replica; name the primary, which accepts writes" }
    guard values["maxmemory_policy"] == "noeviction" else {
      return
        "its maxmemory-policy is '\(values["maxmemory_policy"]?.prefix(20) ?? "")', so it drops rows when its memory is "
        + "full; set maxmemory-policy noeviction"
    }
    guard values["aof_enabled"] == "1" || settings.allowsVolatile else {
      return "it has no append-only file, so its restart loses every row; set appendonly yes, or accept the loss with "
        + "--store-allow-volatile"
    }
    let replicas = Int(values["connected_slaves"] ?? "") ?? 0
    guard replicas >= settings.replicas else {
      return "it has \(replicas) replicas; connect \(settings.replicas), or lower --store-replicas"
    }
    return nil
  }

  // MARK: The lease

  private func takeLease() async throws(RedisStartError) {
    var arguments = RedisCommand()
    arguments.append(settings.owner)
    arguments.append(Int(RedisLease.life.inSeconds * 1000))
    arguments.append(Self.format)
    arguments.append(settings.isShared ? 1 : 0)
    var before: (holder: [UInt8], left: Int64)?
    while true {
      let sent = await now()
      let replies = try await ask([.load(.acquire), .call(.acquire, settings.prefix, arguments)])
      guard case .array(let parts)? = replies.last, parts.count == 3, case .integer(let outcome) = parts[0],
        case .bytes(let text) = parts[1], case .integer(let left) = parts[2]
      else { throw refusal("it answers as no Redis does") }
      switch outcome {
      case 1:
        let lease = RedisLease(
          String(decoding: text, as: UTF8.self), since: sent, lanes[0], prefix: settings.prefix,
          isShared: settings.isShared, trouble: trouble)
        hold(lease)
        return
      case 2:
        throw refusal(
          "the rows of \(settings.prefix) are of format \(Self.shown(text)), this program knows \(Self.format); use the "
            + "program that wrote them")
      default:
        // A living process renews its lease, so that it has longer to go than before.
        if let before, before.holder != text || left > before.left {
          if Self.isShared(text) {
            throw refusal(
              "\(settings.prefix) is shared by processes that are running; give this one --node-name too, end them, or give "
                + "another --store-prefix", isLasting: false)
          }
          throw refusal(
            "\(settings.prefix) is held by \(Self.shown(text)), a process that is running; end it, or give another "
              + "--store-prefix", isLasting: false)
        }
        before = (text, left)
        await pause()
      }
    }
  }

  /// Returns whether a lease is that of processes that share the prefix.
  private static func isShared(_ text: [UInt8]) -> Bool {
    let parts = text.split(separator: UInt8(ascii: " "))
    return parts.count == 2 && parts[1].elementsEqual("shared".utf8)
  }

  /// Returns a text that another process wrote, for an operator.
  private static func shown(_ text: [UInt8]) -> String {
    String(decoding: text.prefix(120).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }

  private func now() async -> Instant {
    let loop = lanes[0].loop
    return await withCheckedContinuation { continuation in
      loop.execute { continuation.resume(returning: loop.now) }
    }
  }

  private func pause() async {
    let loop = lanes[0].loop
    await withCheckedContinuation { continuation in
      loop.execute { loop.run(after: Self.patience) { continuation.resume() } }
    }
  }
}

extension RedisStore {
  /// Returns whether this process surely has the prefix for itself, so that it may admit clients. From any thread.
  package func isHeld(at now: Instant) -> Bool { heldLease?.isHeld(at: now) ?? true }

  /// Gives the lease back, unless others share it, and closes the connections.
  package func close() async {
    if let lease = heldLease {
      await withCheckedContinuation { continuation in lease.end { continuation.resume() } }
    }
    for lane in lanes { lane.end() }
  }
}
