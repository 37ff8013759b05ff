package import GatewayCore
internal import GatewayFaults
package import GatewayKit
package import GatewayRuntime

/// A gateway or a proxy's route inside a running process, one of many, with its own sessions, journal and faults.
///
/// A gateway has its own time, and runs on a loop inside the loop of its host. A route keeps the time of the network, and runs
/// on the host. Nothing that happens in one space is visible in another. It retains itself until it ends: by an order, or after
/// a time without use.
///
/// `@unchecked Sendable`: touched only on the host's thread.
package final class HostedSpace: WakeupTarget, @unchecked Sendable {
  /// The loop whose thread it shares, and which has the network's time.
  package let host: EventLoop
  /// The loop on which everything of the space runs: inside the host, or the host itself.
  package let loop: EventLoop
  package let content: any HostedContent
  package let limits: HostedLimits
  /// Whether its time stands still until an order moves it.
  package let isFrozen: Bool
  /// The mover of its time; nil if it keeps the time of the network.
  let driver: SpaceDriver?
  let traffic: Traffic
  /// The inside of its port. A vendor's resources are most of a space's memory, so they are created at the first
  /// request for one.
  private(set) lazy var inner = content.hostedSite
  let stage: LoopStage
  private let whenEnded: @Sendable () -> Void
  /// Its sockets, by the numbers that they were given.
  private var handlers: [UInt64: SpaceHandler] = [:]
  var lastNumber: UInt64 = 0
  /// How many requests and orders have no answer yet.
  private(set) var underWay = 0
  /// The pieces that streams have been asked for and have not given yet, by their numbers.
  var pulls: [UInt64: Task<[UInt8]?, Never>] = [:]
  /// Whether its time is being moved.
  var isAdvancing = false
  /// How far its time has been moved, all moves together.
  package internal(set) var moved = Duration.zero
  private let beganAt: Instant
  private var life = Life.open
  private var lastUse: Instant
  /// Checks whether the space is used; at its end, whether its clients have gone.
  private var timer: Wakeup!
  private var keepAlive: HostedSpace?
  private var waiters: [CheckedContinuation<Void, Never>] = []

  private enum Life { case open, ending, ended }

  /// Creates a space. Only on the host, where ``prepare()`` follows before the first request.
  ///
  /// - Parameters:
  ///   - host: The loop whose thread it shares.
  ///   - limits: Its share of what it has in common with others.
  ///   - clock: Its own time; nil for that of the network.
  ///   - whenEnded: Called on the host when it has ended, for any reason: its listener has nothing more to serve.
  ///   - content: Makes what is inside, on the space's loop.
  /// - Throws: The error of `content`.
  package init(
    on host: EventLoop, limits: HostedLimits, clock: HostedClock?, whenEnded: @escaping @Sendable () -> Void,
    content: (EventLoop) throws -> any HostedContent
  ) throws {
    host.preconditionOnLoop()
    let inside = clock.map { SpaceDriver.loop(inside: host, seed: $0.seed) }
    (loop, driver) = (inside?.loop ?? host, inside?.driver)
    self.content = try content(loop)
    self.host = host
    self.limits = limits
    isFrozen = clock?.isFrozen ?? false
    self.whenEnded = whenEnded
    traffic = Traffic(host: host)
    stage = LoopStage(loop: loop)
    lastUse = host.now
    beganAt = loop.now
    if isFrozen { driver?.stop(wall: true) }
    if let wall = clock?.wall { driver?.setWall(to: wall) }
    timer = Wakeup(target: self)
    host.deadlines.set(timer, at: lastUse + limits.idleTime)
    keepAlive = self
  }

  /// Creates a space with its own gateway. Only on the host, where ``prepare()`` must run before the first request.
  ///
  /// - Parameters:
  ///   - settings: The settings of the gateway.
  ///   - host: The loop whose thread it shares.
  ///   - limits: Its share of what it has in common with others.
  ///   - isFrozen: Whether time stands still in it until an order moves it.
  ///   - wall: Its time of day at first; nil for that of its host.
  ///   - store: Makes its store, on its loop. It has a hundredth of a gateway's room.
  ///   - whenEnded: Called on the host when it has ended, for any reason: its listener has nothing more to serve.
  /// - Throws: A vendor's error about its settings.
  package convenience init(
    _ settings: SpaceSettings, on host: EventLoop, limits: HostedLimits = HostedLimits(), isFrozen: Bool = false,
    wall: WallTime? = nil, store: (EventLoop) throws -> any Store, whenEnded: @escaping @Sendable () -> Void = {}
  ) throws {
    var settings = settings
    settings.configuration.journalBytes = limits.journalBytes
    settings.takesFaults = true
    settings.configuration.journalPayloadBytes = limits.journalPayloadBytes
    settings.configuration.revocationsMax = SmallStore.room(of: settings.configuration.revocationsMax)
    let clock = HostedClock(isFrozen: isFrozen, wall: wall, seed: settings.seed ?? Space.chance())
    try self.init(on: host, limits: limits, clock: clock, whenEnded: whenEnded) { [settings] loop in
      try Space(settings, on: [loop], store: SmallStore(try store(loop)))
    }
  }

  /// The gateway inside; nil if it is a route to another one.
  package var space: Space? { content as? Space }

  /// Prepares the content. Only on the host, before the first client is served.
  package nonisolated(nonsending) func prepare() async throws {
    let content = content
    let outcome = await perform { () async -> Result<Void, any Error> in
      do { return .success(try await content.begin()) } catch { return .failure(error) }
    }
    try outcome.get()
  }

  /// The site that a port of the host serves for it.
  package var site: HostedSite { HostedSite(space: self) }

  /// Does `body` on the space's loop, and returns on the host. Only from a task there.
  package nonisolated(nonsending) func perform<Answer: Sendable>(
    _ body: nonisolated(nonsending) @escaping @Sendable () async -> Answer
  ) async -> Answer {
    host.preconditionOnLoop()
    underWay += 1
    let answer = await stage.perform(body)
    underWay -= 1
    use()
    traffic.note()
    moveOnEnding()
    return answer
  }

  /// How long it has lasted, in its own time.
  package var age: Duration { loop.now - beganAt }

  // MARK: Sockets

  /// The error with which clients are refused; nil if they are admitted.
  var refusal: GatewayError? {
    if isEnding { return .draining }
    return handlers.count < limits.connectionsMax
      ? nil : .overloaded.detailed("\(limits.connectionsMax) connections of a space")
  }

  /// How many sockets it has.
  package var connectionCount: Int { handlers.count }

  /// Stands between a connection and its socket.
  func keep(_ inner: any SocketHandler) -> SpaceHandler {
    lastNumber += 1
    let handler = SpaceHandler(inner, number: lastNumber, in: self)
    handlers[lastNumber] = handler
    return handler
  }

  func forget(_ handler: SpaceHandler) {
    handlers[handler.number] = nil
    use()
    moveOnEnding()
  }

  /// Somebody has just used it.
  func use() { lastUse = host.now }

  private var isBusy: Bool { !handlers.isEmpty || !pulls.isEmpty || underWay > 0 || isAdvancing || content.isBusy }

  // MARK: The end

  /// Whether no more clients are admitted.
  package var isEnding: Bool { life != .open }

  /// Closes every socket with 1001, lets its time run out, and returns when it has no client, no request and nothing in
  /// its host any more. Only from a task on the host.
  package nonisolated(nonsending) func end() async {
    host.preconditionOnLoop()
    beginEnd()
    // The task may wait for a turn of the loop before the closure is called, and the space may end before that.
    await withCheckedContinuation { life == .ended ? $0.resume() : waiters.append($0) }
  }

  /// Begins the end, which ``end()`` waits for.
  package func beginEnd() {
    guard life == .open else { return }
    life = .ending
    host.deadlines.set(timer, at: host.now + limits.closingTime)
    loop.asCurrent { content.beginEnd { [weak self] in self?.moveOnEnding() } }
    for handler in inOrder { handler.close() }
    endStreams()
    moveOnEnding()
  }

  private var inOrder: [SpaceHandler] { handlers.keys.sorted().compactMap { handlers[$0] } }

  private func moveOnEnding() {
    guard life == .ending, handlers.isEmpty, !content.isBusy else { return }
    // Nothing more can happen that a caller could wait for.
    loop.asCurrent { content.endWaits() }
    // Tasks that still sleep, e.g. a request for a token, wake and come to their end.
    driver?.runOut()
    guard underWay == 0 else { return }
    life = .ended
    host.deadlines.remove(timer)
    for waiter in waiters { waiter.resume() }
    waiters = []
    keepAlive = nil
    whenEnded()
  }

  package func wakeUp() {
    switch life {
    case .open:
      let due = (isBusy ? host.now : lastUse) + limits.idleTime
      if due <= host.now { beginEnd() } else { host.deadlines.set(timer, at: due) }
    case .ending:
      for handler in inOrder { handler.abort() }
      loop.asCurrent { content.abort() }
    case .ended:
      break
    }
  }
}
