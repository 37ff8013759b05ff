import GatewayCore
import Synchronization
import TestSupport

/// What a dialect's HTTP side asks of a gateway, without one: its clock moves when the test says so, its users are
/// connected when the test says so, and it remembers what was told.
final class FakeGateway: GatewayServices {
  /// Where the gateway's work runs; give it to the actors under test.
  let executor = ManualExecutor()

  private struct State {
    var now: WallTime
    var connected: Set<UserID> = []
    var connections: [ConnectionID: UserID] = [:]
    var watchers: [CallID: Set<ConnectionID>] = [:]
    var dialects: [any Dialect] = []
    var told: [(audience: Audience, dialect: String, frame: Frame)] = []
    var sleepers: [(until: WallTime, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  /// A gateway at that time of day.
  init(at now: WallTime = WallTime(seconds: 1_800_000_000)) {
    state = Mutex(State(now: now))
  }

  // MARK: What a test arranges and looks at

  /// A connection of the user, logged in.
  func connect(_ user: UserID, as connection: ConnectionID) {
    state.withLock { state in
      state.connected.insert(user)
      state.connections[connection] = user
    }
  }

  /// The connection is gone, and its user with the last one.
  func disconnect(_ user: UserID, _ connection: ConnectionID) {
    state.withLock { state in
      state.connections[connection] = nil
      if !state.connections.values.contains(user) { state.connected.remove(user) }
      for call in state.watchers.keys { state.watchers[call]?.remove(connection) }
    }
  }

  /// What is told to an audience is put into words of these dialects.
  func speak(_ dialects: any Dialect...) {
    state.withLock { $0.dialects = dialects }
  }

  /// What was said to audiences, in order.
  var told: [(audience: Audience, dialect: String, frame: Frame)] { state.withLock { $0.told } }

  /// Starts `body`, and lets happen what can without time passing. What it returns is there when it is done.
  func start<Answer: Sendable>(
    _ body: nonisolated(nonsending) @escaping @Sendable () async -> Answer
  ) -> Started<Answer> {
    let started = Started<Answer>()
    Task(executorPreference: executor) { started.end(with: await body()) }
    executor.runAll()
    return started
  }

  /// Lets `duration` pass, waking who sleeps, earliest first.
  func advance(by duration: Duration) {
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

  var wallTime: WallTime { state.withLock { $0.now } }

  func isConnected(_ user: UserID) async -> Bool {
    state.withLock { $0.connected.contains(user) }
  }

  func user(of connection: ConnectionID) async -> UserID? {
    state.withLock { $0.connections[connection] }
  }

  func announce(_ announcement: Announcement) {
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

  func frames(_ words: (any Dialect) -> Frame?) -> [DialectFrame] {
    state.withLock { $0.dialects }.compactMap { dialect in words(dialect).map { DialectFrame(dialect.name, $0) } }
  }

  func watch(_ call: CallID, by connection: ConnectionID) async -> Bool {
    state.withLock { state in
      guard state.connections[connection] != nil else { return false }
      state.watchers[call, default: []].insert(connection)
      return true
    }
  }

  func unwatch(_ call: CallID, by connection: ConnectionID) async {
    state.withLock { _ = $0.watchers[call]?.remove(connection) }
  }

  func audience(of call: CallID) async -> [UserID] {
    state.withLock { state in
      Set((state.watchers[call] ?? []).compactMap { state.connections[$0] }).sorted { $0.rawValue < $1.rawValue }
    }
  }

  // No call hangs on what is below.

  func control(_ sessions: SessionFilter, _ event: SessionEvent) async -> Int { 0 }
  func renew(_ sessions: SessionFilter, with token: VerifiedToken) async -> Int { 0 }
  func isRevoked(_ token: VerifiedToken) async -> Bool { false }
  func nextShare() async -> Double { 0.5 }

  func sleep(for duration: Duration) async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.sleepers.append(($0.now + duration, continuation)) }
    }
  }
}
