internal import GatewayCore
internal import Synchronization

/// The users that the backend has admitted on wires whose clients renew a token by a new connection. Such a user may come back
/// while the backend cannot be asked.
///
/// All loops share it, since a client may come back on another one.
final class HookReturns: Sendable {
  /// A user on one wire.
  struct Key: Hashable, Sendable {
    let dialect: Name
    /// The user of the client's tokens.
    let user: UserID
  }

  /// The backend's last answer about a user, and the end of the user's grace.
  struct Admission: Sendable {
    /// The backend's `info`, as JSON.
    var info: String?
    /// The backend's name for the user; nil for the token's own.
    var name: UserID?
    /// When the user is closed if the backend is still away; nil while it answers.
    var closeAt: Instant?
  }

  private struct Entry {
    var admission: Admission
    var connections = 0
    /// When the last connection ended.
    var leftAt = Instant.zero
  }

  private struct State {
    var all: [Key: Entry] = [:]
    /// The departures in their order. The first `gone` of them are handled.
    var left: [(key: Key, at: Instant)] = []
    var gone = 0

    /// Forgets users that left before `time` and have not come back, and the first of the others beyond `leftMax`.
    mutating func clear(until time: Instant, beyond leftMax: Int) {
      while gone < left.count, left[gone].at <= time || left.count - gone > leftMax {
        let (key, at) = left[gone]
        if let entry = all[key], entry.connections == 0, entry.leftAt == at { all[key] = nil }
        gone += 1
      }
      guard gone > left.count / 2 else { return }
      left.removeFirst(gone)
      gone = 0
    }
  }

  private let state = Mutex(State())
  /// How long after its connection a user may come back.
  private let patience: Duration
  /// The maximum number of users without a connection.
  private let leftMax: Int

  init(patience: Duration, leftMax: Int = 100_000) {
    self.patience = patience
    self.leftMax = leftMax
  }

  /// Takes note that a connection of the user is admitted.
  func admit(_ key: Key, as admission: Admission) {
    state.withLock { state in
      let connections = state.all[key]?.connections ?? 0
      state.all[key] = Entry(admission: admission, connections: connections + 1)
    }
  }

  /// Returns what is known about a user that may come back; nil if it may not.
  func admission(of key: Key, at now: Instant) -> Admission? {
    state.withLock { state in
      guard let entry = state.all[key], entry.connections > 0 || now < entry.leftAt + patience else { return nil }
      return entry.admission
    }
  }

  /// Takes note that the backend has decided again, and for the user.
  func confirm(_ key: Key, info: String?) {
    state.withLock { state in
      state.all[key]?.admission.closeAt = nil
      if let info { state.all[key]?.admission.info = info }
    }
  }

  /// Takes note that a connection of the user has ended.
  func leave(_ key: Key, at now: Instant) {
    state.withLock { state in
      guard let connections = state.all[key]?.connections, connections > 0 else { return }
      state.all[key]?.connections = connections - 1
      guard connections == 1 else { return }
      state.all[key]?.leftAt = now
      state.left.append((key, now))
      state.clear(until: now - patience, beyond: leftMax)
    }
  }

  /// Takes note that the backend has decided against the user, or that its grace is over: it may not come back.
  func forget(_ key: Key) {
    state.withLock { $0.all[key] = nil }
  }

  /// The number of users.
  var count: Int { state.withLock { $0.all.count } }
}
