package import GatewayCore
package import GatewayKit
internal import Synchronization

/// A store on a Redis or Valkey server, for one gateway process at a time for each prefix of keys.
///
/// Each event loop has its own connection, on which the requests of its tasks are pipelined. A commit is one Lua
/// script, so it is applied completely or not at all.
package final class RedisStore: Store {
  /// The maximum number of rows in one script; a longer scan takes several scripts.
  private static let pageRows = 1_000
  /// The maximum number of writes in a commit. Redis runs no other command while it applies one.
  static let writesMax = 8_192
  /// The version of the format of rows and keys.
  static let format = 1

  package let lines: LocalTurns<StorePath>? = LocalTurns()
  package let outlivesProcess = true
  let lanes: [RedisLane]
  let settings: RedisSettings
  private let checksClock: Bool
  private let setsDamagedAside: Bool
  let trouble: @Sendable (String) -> Void
  /// The lease that commits need; nil for none.
  private let lease = Mutex<RedisLease?>(nil)
  /// The last error that was reported to an operator.
  private let lastTold = Mutex<String?>(nil)
  private let hasTold = Atomic(false)
  /// The damaged rows that were reported, each once.
  private let toldOf = Mutex<Set<StorePath>>([])
  private static let toldOfMax = 1_000

  /// Creates the store, which connects when it is first used. Nothing checks that it has the prefix for itself; see
  /// ``open(_:on:)``.
  ///
  /// - Parameters:
  ///   - settings: The server and the prefix.
  ///   - loops: The loops that have a connection each, at least one.
  ///   - checksClock: Whether a commit is refused if its time differs from that of the server by more than a minute.
  ///   - setsDamagedAside: Whether a row that cannot be read is moved to the hash of damaged rows and then treated as absent.
  ///   - trouble: A function that is called with each reason why the store cannot do its work.
  package init(
    _ settings: RedisSettings, on loops: [any LinkLoop], checksClock: Bool = true, setsDamagedAside: Bool = false,
    trouble: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.settings = settings
    self.checksClock = checksClock
    self.setsDamagedAside = setsDamagedAside
    self.trouble = trouble
    var lanes: [RedisLane] = []
    // All lanes lose the server at once; only the first reports it.
    let silence: @Sendable (String) -> Void = { _ in }
    for loop in loops { lanes.append(RedisLane(on: loop, settings, trouble: lanes.isEmpty ? trouble : silence)) }
    self.lanes = lanes
  }

  deinit {
    for lane in lanes { lane.end() }
  }

  /// The lease of the prefix; nil if the store was not opened with one.
  var heldLease: RedisLease? { lease.withLock { $0 } }

  /// Has every commit need the lease, and renews it from here on.
  func hold(_ lease: RedisLease) {
    self.lease.withLock { $0 = lease }
    lease.begin()
  }

  // MARK: Reading

  package func read(_ keys: [StoreKey], at now: WallTime) async throws(StoreError) -> [StoreEntry?] {
    guard !keys.isEmpty else { return [] }
    var command = RedisCommand("HMGET", "\(settings.prefix):rows")
    for key in keys { command.append(key.path.bytes) }
    guard case .array(let found) = try await answer(to: command), found.count == keys.count else { throw unexpected }
    var entries: [StoreEntry?] = []
    entries.reserveCapacity(keys.count)
    for (key, reply) in zip(keys, found) {
      entries.append(try await entry(reply, at: key.path, of: key.type, now))
    }
    return entries
  }

  package func scan(_ range: StoreRange, limit: Int, at now: WallTime) async throws(StoreError) -> [StoreEntry] {
    var entries: [StoreEntry] = []
    var rest = range
    while entries.count < limit {
      var command = RedisCommand()
      command.append([UInt8(ascii: "[")] + rest.lower.bytes)
      command.append([UInt8(ascii: "(")] + rest.upper.bytes)
      command.append(rest.isBackwards ? 1 : 0)
      let wanted = min(limit - entries.count, Self.pageRows)
      command.append(wanted)
      command.append(now.orderedBytes)
      guard case .array(let parts) = try await evaluate(.scan, command, isRead: true), parts.count % 2 == 1,
        case .bytes(let cursor) = parts[0]
      else { throw unexpected }
      var last = cursor.isEmpty ? nil : StorePath(bytes: cursor)
      for index in stride(from: 1, to: parts.count, by: 2) {
        guard case .bytes(let path) = parts[index] else { throw unexpected }
        let found = StorePath(bytes: path)
        if let entry = try await entry(parts[index + 1], at: found, of: range.type, now) { entries.append(entry) }
        if cursor.isEmpty { last = found }
      }
      guard let last, !cursor.isEmpty || parts.count / 2 == wanted else { break }
      let next = rest.after(last)
      // A server that answers with rows from elsewhere would be asked for ever.
      guard next.lower > rest.lower || next.upper < rest.upper else { throw unexpected }
      rest = next
    }
    return entries.count > limit ? Array(entries.prefix(max(0, limit))) : entries
  }

  package func tallies(_ counts: [StoreCount]) async throws(StoreError) -> [Int] {
    guard !counts.isEmpty else { return [] }
    var command = RedisCommand("HMGET", "\(settings.prefix):tally")
    for count in counts { command.append(count.path.bytes) }
    guard case .array(let found) = try await answer(to: command), found.count == counts.count else { throw unexpected }
    return found.map { reply in
      guard case .bytes(let text) = reply else { return 0 }
      return max(0, Int(String(decoding: text, as: UTF8.self)) ?? 0)
    }
  }

  // MARK: Committing

  package func commit(_ commit: StoreCommit, at now: WallTime) async throws(StoreError) -> Bool {
    guard commit.writes.count <= Self.writesMax else {
      throw .unavailable("commit of \(commit.writes.count) writes; at most \(Self.writesMax)")
    }
    let steady = min(now, commit.sweepsUntil ?? now)
    var command = RedisCommand()
    command.append("\(String(commit.id.process, radix: 16)).\(commit.id.number)")
    command.append((steady + Self.memory).orderedBytes)
    command.append(steady.orderedBytes)
    command.append(Self.deadlinesEnd(steady))
    command.append(Self.deadlinesEnd(now))
    command.append(now.orderedBytes)
    command.append(heldLease?.text ?? "")
    command.append(checksClock ? 1 : 0)
    command.append(commit.checks.count)
    command.append(commit.writes.count)
    for check in commit.checks {
      command.append(check.path.bytes)
      command.append(String(check.version.number))
    }
    var counts: [StoreCount] = []
    for write in commit.writes {
      command.append(write.path.bytes)
      guard let value = write.value else {
        command.append("")
        command.append("")
        continue
      }
      let (row, bounds) = try RedisRow.body(of: write, try StoredJSON.encode(value))
      command.append(row)
      command.append(bounds)
      counts += write.counts
    }
    guard case .integer(let outcome) = try await evaluate(.commit, command) else { throw unexpected }
    switch outcome {
    case 1:
      if hasTold.load(ordering: .relaxed) { forget() }
      return true
    case 0: return false
    case 2: throw told("another process may have the store: this one has lost its lease")
    case 3: throw told("the clocks of this machine and of Redis differ by more than 60 s; set them by NTP")
    default:
      guard outcome < 0, outcome >= -Int64(counts.count) else { throw unexpected }
      throw .full(counts[Int(-outcome) - 1])
    }
  }

  /// How long the id of a commit is remembered.
  private static let memory = Duration.seconds(60)

  /// Returns the end of the range of deadlines up to a time, as `ZRANGEBYLEX` takes it.
  private static func deadlinesEnd(_ time: WallTime) -> [UInt8] {
    guard time.nanoseconds < .max else { return [UInt8(ascii: "+")] }
    return [UInt8(ascii: "(")] + WallTime(nanoseconds: time.nanoseconds + 1).orderedBytes
  }

  // MARK: Asking

  /// The lane of the caller's loop, or the first.
  private var lane: RedisLane {
    lanes.count > 1 ? lanes.first { $0.loop.isCurrent } ?? lanes[0] : lanes[0]
  }

  private func answer(to command: RedisCommand) async throws(StoreError) -> RedisReply {
    switch await lane.ask(command) {
    case .success(let replies): return try known(replies[0])
    case .failure(let failure): throw .unavailable(failure.reason)
    }
  }

  /// Runs a script with these arguments.
  func evaluate(
    _ script: RedisScript, _ arguments: RedisCommand, isRead: Bool = false
  ) async throws(StoreError) -> RedisReply {
    let lane = lane
    let call = RedisCommand.call(script, settings.prefix, arguments, isRead: isRead)
    var answer = await ask(lane, [call], isRead: isRead)
    if case .success(let replies) = answer, replies[0].isError("NOSCRIPT") {
      answer = await ask(lane, [.load(script), call], isRead: isRead)
      if case .success(let replies) = answer { answer = .success(Array(replies.dropFirst())) }
    }
    switch answer {
    case .failure(.notSent(let reason)): throw .unavailable(reason)
    case .failure(.lost(let reason)): throw isRead ? .unavailable(reason) : .unknown(reason)
    case .success(let replies):
      let reply = try known(replies[0])
      if replies.count > 1 {
        guard case .integer(let replicas) = replies[1], replicas >= Int64(settings.replicas) else {
          throw .unknown("fewer than \(settings.replicas) replicas have the commit after a second")
        }
      }
      return reply
    }
  }

  private func ask(
    _ lane: RedisLane, _ commands: [RedisCommand], isRead: Bool
  ) async -> Result<[RedisReply], RedisFailure> {
    guard settings.replicas > 0, !isRead else { return await lane.ask(commands) }
    return await lane.ask(commands + [RedisCommand("WAIT", String(settings.replicas), "1000")])
  }

  /// Returns the reply if it is no error.
  private func known(_ reply: RedisReply) throws(StoreError) -> RedisReply {
    guard case .error(let text) = reply else { return reply }
    throw told("Redis refuses: \(text)")
  }

  /// Returns the error, and reports it to an operator, once until a commit succeeds.
  private func told(_ text: String) -> StoreError {
    hasTold.store(true, ordering: .relaxed)
    let isNew = lastTold.withLock { last in
      defer { last = text }
      return last != text
    }
    if isNew { trouble("\(settings.server): \(text)") }
    return .unavailable(text)
  }

  /// Makes the next error be reported, whatever it is.
  private func forget() {
    hasTold.store(false, ordering: .relaxed)
    lastTold.withLock { $0 = nil }
  }

  private var unexpected: StoreError { .unavailable("\(settings.server) answers as no Redis does") }

  // MARK: Rows

  /// Returns the row; nil if there is none, it has expired, or it could not be read and was set aside.
  private func entry(
    _ reply: RedisReply, at path: StorePath, of type: any StoreValue.Type, _ now: WallTime
  ) async throws(StoreError) -> StoreEntry? {
    guard case .bytes(let bytes) = reply else {
      guard case .null = reply else { throw unexpected }
      return nil
    }
    do {
      guard let row = RedisRow(bytes) else { throw Damage() }
      guard row.isAlive(at: now) else { return nil }
      return StoreEntry(path: path, version: row.version, value: try StoredJSON.decode(row.value, as: type))
    } catch {
      try await miss(path, bytes, error)
      return nil
    }
  }

  /// A row whose head cannot be read.
  private struct Damage: Error {}

  /// Sets aside a row that cannot be read. Throws if `setsDamagedAside` is false.
  private func miss(_ path: StorePath, _ bytes: [UInt8], _ error: any Error) async throws(StoreError) {
    let row = "the row \(path) cannot be read: \(StoredJSON.reason(error))"
    guard setsDamagedAside else {
      tell(
        path,
        "\(row); restore Redis from a backup, or start with --store-set-damaged-aside, which moves such rows to the hash "
          + "\(settings.prefix):damaged and goes on without them")
      throw .unavailable(row)
    }
    var command = RedisCommand()
    command.append(path.bytes)
    command.append(bytes)
    command.append(heldLease?.text ?? "")
    guard case .integer(let outcome) = try await evaluate(.setAside, command) else { throw unexpected }
    if outcome == 2 { throw told("another process may have the store: this one has lost its lease") }
    if outcome == 1 {
      tell(path, "\(row); it was moved to the hash \(settings.prefix):damaged, and is as if it had never been")
    }
  }

  private func tell(_ path: StorePath, _ text: String) {
    let isNew = toldOf.withLock { $0.count < Self.toldOfMax && $0.insert(path).inserted }
    if isNew { trouble("\(settings.server): \(text)") }
  }
}
