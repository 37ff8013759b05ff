package import GatewayCore
package import GatewayRuntime

/// The hosted spaces of a process by their names. All of them are on one loop, their host.
///
/// `@unchecked Sendable`: touched only on the host's thread.
package final class Spaces: @unchecked Sendable {
  /// Reads what an order asks for. The space will have that name.
  package typealias Planner = @Sendable (SpaceOrder, Name) throws -> SpacePlan

  private let host: EventLoop
  private let countMax: Int
  private let plan: Planner
  private let stage: LoopStage
  private var spaces: [Name: NamedSpace] = [:]
  /// The names of the spaces that are being made.
  private var making: Set<Name> = []
  /// The number in the last name that was chosen here.
  private var lastNumber: UInt64 = 0
  private var isDraining = false
  /// How many bytes the journals of all spaces may take.
  private let journalBytesMax: Int
  /// How many they may take by now.
  private var journalBytes = 0
  /// The part of what is left that a new space's journal takes at most.
  private static let journalShare = 16

  /// The maximum size of the journals of a process's spaces together, in bytes, unless configured.
  package static let usualJournalBytesMax = 2 << 30

  /// Creates an empty table for at most `countMax` spaces at a time. If their journals would take more than
  /// `journalBytesMax` bytes, the journals of new spaces are smaller.
  package init(
    on host: EventLoop, countMax: Int, journalBytesMax: Int = usualJournalBytesMax, plan: @escaping Planner
  ) {
    self.journalBytesMax = journalBytesMax
    self.host = host
    self.countMax = countMax
    self.plan = plan
    stage = LoopStage(loop: host)
  }

  // MARK: Making

  /// Creates a space, which is ready when this returns; with its own plan if there is one. Only from a task on the
  /// host.
  package nonisolated(nonsending) func make(
    _ order: SpaceOrder, by planner: Planner? = nil
  ) async throws(GatewayError) -> NamedSpace {
    host.preconditionOnLoop()
    guard !isDraining else { throw .draining }
    guard spaces.count + making.count < countMax else {
      throw .overloaded.detailed("\(countMax) spaces are there, as many as may be (--spaces-max); end one")
    }
    let name = try name(for: order)
    making.insert(name)
    defer { making.remove(name) }
    do {
      return try await make((planner ?? plan)(order, name), called: name, order)
    } catch let error as GatewayError {
      throw error
    } catch {
      throw .invalidParameter.detailed("\(error)")
    }
  }

  private nonisolated(nonsending) func make(
    _ plan: SpacePlan, called name: Name, _ order: SpaceOrder
  ) async throws -> NamedSpace {
    let limits = plan.limits.withJournal(of: max(0, journalBytesMax - journalBytes) / Self.journalShare)
    journalBytes += limits.journalRoom
    var isKept = false
    defer { if !isKept { journalBytes -= limits.journalRoom } }
    let hosted = try plan.make(order, host, limits) { [weak self] in self?.hasEnded(name) }
    let port: SpacePort
    do {
      try await hosted.prepare()
      port = try await plan.listen(hosted.site)
    } catch {
      await hosted.end()
      hosted.content.close()
      throw error
    }
    guard !isDraining, !hosted.isEnding else {
      await hosted.end()
      await port.end()
      hosted.content.close()
      throw GatewayError.draining
    }
    let space = NamedSpace(name, hosted, port, of: plan)
    spaces[name] = space
    isKept = true
    return space
  }

  private func name(for order: SpaceOrder) throws(GatewayError) -> Name {
    guard let wanted = order.name else { return nextName() }
    guard SpaceOrder.isName(wanted) else {
      throw .invalidParameter.detailed("name must be 1 to 63 small letters, digits and -")
    }
    let name = Name(wanted)
    guard !isTaken(name) else { throw .alreadyExists.detailed("a space called \(wanted)") }
    return name
  }

  private func nextName() -> Name {
    while true {
      lastNumber += 1
      let name = Name("s\(lastNumber)")
      if !isTaken(name) { return name }
    }
  }

  private func isTaken(_ name: Name) -> Bool { spaces[name] != nil || making.contains(name) }

  // MARK: Finding

  /// The space of that name, also while it ends; nil if there is none. Only on the host.
  package subscript(name: String) -> NamedSpace? {
    host.preconditionOnLoop()
    return spaces[Name(name)]
  }

  /// At most `limit` of them in the order of their names, after `last` if that is given. Only on the host.
  package func all(after last: Name? = nil, limit: Int = .max) -> [NamedSpace] {
    host.preconditionOnLoop()
    let names = spaces.keys.filter { name in last.map { $0 < name } ?? true }.sorted().prefix(limit)
    return names.compactMap { spaces[$0] }
  }

  // MARK: Ending

  /// Ends the space, and returns when it and its port are gone. Only from a task on the host.
  package nonisolated(nonsending) func end(_ space: NamedSpace) async {
    await space.hosted.end()
    // As in ``HostedSpace/end()``, it may be gone when the closure is called.
    await withCheckedContinuation { spaces[space.name] === space ? space.waiters.append($0) : $0.resume() }
  }

  /// Ends every space, and returns when they are gone. Nobody makes another. Only from a task on the host.
  package nonisolated(nonsending) func drain() async {
    isDraining = true
    let all = all()
    for space in all { space.hosted.beginEnd() }
    for space in all { await end(space) }
  }

  private func hasEnded(_ name: Name) {
    guard let space = spaces[name], space.hosted.isEnding else { return }
    stage.start { [self] in
      await space.port.end()
      spaces[name] = nil
      journalBytes -= space.hosted.limits.journalRoom
      // From now on the space cannot be found.
      space.hosted.content.close()
      for waiter in space.waiters { waiter.resume() }
      space.waiters = []
    }
  }
}
