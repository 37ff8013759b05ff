package import GatewayCore
package import GatewayPlain
internal import GatewayStores
internal import Synchronization

/// What a dialect's HTTP side asks of a gateway, without one: its clock moves when the test says so, its users are
/// connected when the test says so, and it remembers what was told.
package final class FakeGateway: GatewayServices {
  /// Where the gateway's work runs; give it to the actors under test.
  package let executor = ManualExecutor()

  private struct State {
    var now: WallTime
    var connected: Set<UserID> = []
    var revoked: Set<TokenFingerprint> = []
    var connections: [ConnectionID: UserID] = [:]
    var watchers: [CallID: Set<ConnectionID>] = [:]
    var dialects: [any Dialect] = []
    var told: [(audience: Audience, dialect: String, frame: Frame)] = []
    var orders: [(sessions: SessionFilter, event: SessionEvent)] = []
    var renewals: [(sessions: SessionFilter, token: VerifiedToken)] = []
    var shares: [Double] = []
    var sleepers: [(until: WallTime, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  /// A gateway at that time of day.
  package init(at now: WallTime = WallTime(seconds: 1_800_000_000)) {
    state = Mutex(State(now: now))
  }

  // MARK: What a test arranges and looks at

  package func connect(_ users: UserID...) {
    state.withLock { $0.connected.formUnion(users) }
  }

  /// A connection of the user, logged in.
  package func connect(_ user: UserID, as connection: ConnectionID) {
    state.withLock { state in
      state.connected.insert(user)
      state.connections[connection] = user
    }
  }

  /// The connection is gone, and its user with the last one.
  package func disconnect(_ user: UserID, _ connection: ConnectionID) {
    state.withLock { state in
      state.connections[connection] = nil
      if !state.connections.values.contains(user) { state.connected.remove(user) }
      for call in state.watchers.keys { state.watchers[call]?.remove(connection) }
    }
  }

  /// What is told to an audience is put into words of these dialects.
  package func speak(_ dialects: any Dialect...) {
    state.withLock { $0.dialects = dialects }
  }

  /// What was said to audiences, in order.
  package var told: [(audience: Audience, dialect: String, frame: Frame)] { state.withLock { $0.told } }

  /// The events that sessions were given, in order, with which of them were meant.
  package var orders: [(sessions: SessionFilter, event: SessionEvent)] { state.withLock { $0.orders } }

  /// The tokens that were to take the place of a live session's, in order.
  package var renewals: [(sessions: SessionFilter, token: VerifiedToken)] { state.withLock { $0.renewals } }

  package func revoke(_ fingerprint: TokenFingerprint) {
    _ = state.withLock { $0.revoked.insert(fingerprint) }
  }

  /// What the generator gives next; it gives 0.5 when these are used up.
  package func setShares(_ shares: [Double]) {
    state.withLock { $0.shares = shares }
  }

  /// A directory in memory, on the gateway's executor, with room for that many calls.
  package func makeDirectory(calls: Int = 100) -> PlainDirectory {
    PlainDirectory(
      MemoryStore(on: executor), limits: PlainDirectoryLimits(calls: calls), generator: SeededGenerator(seed: 1))
  }

  /// Starts `body`, and lets happen what can without time passing. What it returns is in the box when it is done.
  package func start<Answer: Sendable>(
    _ body: nonisolated(nonsending) @escaping @Sendable () async -> Answer
  ) -> Box<Answer> {
    let box = Box<Answer>()
    Task(executorPreference: executor) { box.put(await body()) }
    executor.runAll()
    return box
  }

  /// Lets `duration` pass, waking who sleeps, earliest first.
  package func advance(by duration: Duration) {
    let end = wallTime + duration
    while let next = takeNextSleeper(until: end) {
      next.resume()
      executor.runAll()
    }
    state.withLock { $0.now = end }
  }

  private func takeNextSleeper(until end: WallTime) -> CheckedContinuation<Void, Never>? {
    state.withLock { state in
      guard let next = state.sleepers.indices.min(by: { state.sleepers[$0].until < state.sleepers[$1].until }),
        state.sleepers[next].until <= end
      else { return nil }
      let sleeper = state.sleepers.remove(at: next)
      state.now = max(state.now, sleeper.until)
      return sleeper.continuation
    }
  }

  // MARK: GatewayServices

  package var wallTime: WallTime { state.withLock { $0.now } }

  package func isConnected(_ user: UserID) async -> Bool {
    state.withLock { $0.connected.contains(user) }
  }

  package func user(of connection: ConnectionID) async -> UserID? {
    state.withLock { $0.connections[connection] }
  }

  package func announce(_ announcement: Announcement) {
    state.withLock { state in
      for words in announcement.frames {
        guard let endings = words.endings else {
          state.told.append((announcement.audience, words.dialect, words.frame))
          continue
        }
        for user in endings.keys.sorted() {
          if let frame = words.frame(for: user) { state.told.append((.users([user]), words.dialect, frame)) }
        }
      }
    }
  }

  package func frames(_ words: (any Dialect) -> Frame?) -> [DialectFrame] {
    state.withLock { $0.dialects }.compactMap { dialect in words(dialect).map { DialectFrame(dialect.name, $0) } }
  }

  package func watch(_ call: CallID, by connection: ConnectionID) async -> Bool {
    state.withLock { state in
      guard state.connections[connection] != nil else { return false }
      state.watchers[call, default: []].insert(connection)
      return true
    }
  }

  package func unwatch(_ call: CallID, by connection: ConnectionID) async {
    state.withLock { _ = $0.watchers[call]?.remove(connection) }
  }

  package func audience(of call: CallID) async -> [UserID] {
    state.withLock { state in
      Set((state.watchers[call] ?? []).compactMap { state.connections[$0] }).sorted { $0.rawValue < $1.rawValue }
    }
  }

  package func control(_ sessions: SessionFilter, _ event: SessionEvent) async -> Int {
    state.withLock { $0.orders.append((sessions, event)) }
    return 0
  }

  package func renew(_ sessions: SessionFilter, with token: VerifiedToken) async -> Int {
    state.withLock { $0.renewals.append((sessions, token)) }
    return 0
  }

  package func isRevoked(_ token: VerifiedToken) async -> Bool {
    state.withLock { $0.revoked.contains(token.fingerprint) }
  }

  package func sleep(for duration: Duration) async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.sleepers.append(($0.now + duration, continuation)) }
    }
  }

  package func nextShare() async -> Double {
    state.withLock { $0.shares.isEmpty ? 0.5 : $0.shares.removeFirst() }
  }
}

/// What work that was started came to; nil while it goes on.
package final class Box<Answer: Sendable>: Sendable {
  private let stored = Mutex<Answer?>(nil)

  package var value: Answer? { stored.withLock { $0 } }

  func put(_ value: Answer) {
    stored.withLock { $0 = value }
  }
}
