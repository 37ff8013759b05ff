internal import GatewayCore
internal import GatewayRuntime
internal import GatewaySpace
internal import Synchronization

/// The feed of a gateway's figures for its dashboards, with one reading a second. All watchers share a reading, and
/// none is made while there are no watchers.
///
/// The seconds are the network's, so the dashboard continues if a hosted space's time stands still or is moved by a
/// day.
///
/// `@unchecked Sendable`: used only on the gateway's first loop, except for the number of watchers.
final class DashboardFeed: WakeupTarget, @unchecked Sendable {
  /// The maximum number of watchers.
  static let watchersMax = 32
  private static let interval = Duration.seconds(1)

  /// Returns a reading.
  private let read: @Sendable () async -> DashboardText
  private let name: String?
  private let loop: EventLoop
  private let stage: LoopStage
  /// Set while a watcher waits; it keeps the feed alive.
  private var wakeup: Wakeup!
  private var number: UInt64 = 0
  private var frame: [UInt8] = []
  /// The time when the last reading was begun.
  private var madeAt: Instant?
  private var isMaking = false
  private var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
  private var lastWait: UInt64 = 0
  private let watchers = Atomic(0)

  /// Creates a feed.
  ///
  /// - Parameter name: The name of a space that the process hosts.
  convenience init(_ space: Space, name: String? = nil) {
    self.init(on: space.gateway.tables[0].loop, name: name) { await DashboardText.reading(of: space) }
  }

  /// Creates the feed of a proxy's route.
  ///
  /// - Parameter name: The name of a route that the process hosts.
  convenience init(route: any Controllable, name: String? = nil) {
    let figures = RouteFigures(of: route)
    self.init(on: route.controlLoop, name: name) { await figures.reading() }
  }

  private init(on loop: EventLoop, name: String?, read: @escaping @Sendable () async -> DashboardText) {
    self.read = read
    self.name = name
    self.loop = loop
    stage = LoopStage(loop: loop)
    wakeup = Wakeup(target: self)
  }

  /// Returns a stream for one more watcher; nil if the maximum is reached. Each piece is the newest reading as an
  /// event, so a slow watcher misses some. It may be called from any thread.
  func stream() -> HTTPStream? {
    guard watchers.add(1, ordering: .relaxed).newValue <= Self.watchersMax else {
      watchers.subtract(1, ordering: .relaxed)
      return nil
    }
    let watcher = Watcher(self)
    return HTTPStream { await watcher.next() }
  }

  // MARK: Watching

  /// A watcher, which counts towards the maximum until it is released.
  ///
  /// `@unchecked Sendable`: used only on the loop.
  private final class Watcher: @unchecked Sendable {
    private let feed: DashboardFeed
    private var seen: UInt64 = 0

    init(_ feed: DashboardFeed) { self.feed = feed }

    deinit { feed.watchers.subtract(1, ordering: .relaxed) }

    nonisolated(nonsending) func next() async -> [UInt8]? {
      guard await feed.wait(for: seen) else { return nil }
      seen = feed.number
      return feed.frame
    }
  }

  /// Waits for a reading newer than `seen` and at most a second and a half old. Returns false if the task is cancelled.
  private nonisolated(nonsending) func wait(for seen: UInt64) async -> Bool {
    loop.preconditionOnLoop()
    while !Task.isCancelled && !loop.hasEnded {
      if number > seen, let madeAt, loop.transport.now - madeAt < Self.interval + .milliseconds(500) { return true }
      lastWait += 1
      let wait = lastWait
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          waiting[wait] = continuation
          schedule()
        }
      } onCancel: {
        loop.execute { [self] in giveUp(wait) }
      }
    }
    return false
  }

  private func giveUp(_ wait: UInt64) {
    waiting.removeValue(forKey: wait)?.resume()
    if waiting.isEmpty { loop.transport.deadlines.remove(wakeup) }
  }

  // MARK: Reading

  private func schedule() {
    guard !isMaking, !wakeup.isSet else { return }
    let now = loop.transport.now
    guard let madeAt, madeAt + Self.interval > now else { return make() }
    loop.transport.deadlines.set(wakeup, at: madeAt + Self.interval)
  }

  func wakeUp() {
    loop.asCurrent { make() }
  }

  private func make() {
    isMaking = true
    madeAt = loop.transport.now
    _ = stage.begin { [self] in
      let text = await read().json(named: name, number: number + 1)
      frame = ServerSentEvent(data: text).bytes
      number += 1
      isMaking = false
      let all = waiting.sorted { $0.key < $1.key }
      waiting = [:]
      for (_, continuation) in all { continuation.resume() }
    }
  }
}
