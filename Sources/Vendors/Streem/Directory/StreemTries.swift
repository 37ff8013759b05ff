internal import GatewayCore
internal import Synchronization

/// The wrong codes of invitations that were tried lately, by address and in all: ten from 203.0.113.7, for instance, so
/// that the next one waits. Of one process: who asks two has the tries of two.
final class StreemTries: Sendable {
  /// Those of the window that began then.
  private struct Window {
    var since = WallTime(nanoseconds: .min)
    var count = 0
  }

  private struct State {
    var addresses: [Name: Window] = [:]
    var everybody = Window()
  }

  private let state = Mutex(State())

  /// Counts a try. Nil if there was one left, else how long until there is.
  func take(_ address: Name, _ limits: StreemTryLimits, at now: WallTime) -> Duration? {
    state.withLock { state in
      if let wait = Self.wait(state.addresses[address], limits.perAddress, limits.window, now) { return wait }
      if let wait = Self.wait(state.everybody, limits.overall, limits.window, now) { return wait }
      if state.addresses.count >= limits.overall {
        // No more addresses than tries are alive in one window, so this makes room.
        state.addresses = state.addresses.filter { $0.value.count > 0 && now < $0.value.since + limits.window }
      }
      state.addresses[address] = Self.counted(state.addresses[address], limits.window, now)
      state.everybody = Self.counted(state.everybody, limits.window, now)
      return nil
    }
  }

  /// Takes back the last try of the address: it was none, or a good one.
  func giveBack(_ address: Name) {
    state.withLock { state in
      if let count = state.addresses[address]?.count, count > 0 { state.addresses[address]?.count = count - 1 }
      state.everybody.count = max(0, state.everybody.count - 1)
    }
  }

  /// How long until there are tries again; nil if there are some.
  private static func wait(_ tries: Window?, _ most: Int, _ window: Duration, _ now: WallTime) -> Duration? {
    guard let tries, tries.count >= most, now < tries.since + window else { return nil }
    return tries.since + window - now
  }

  private static func counted(_ tries: Window?, _ window: Duration, _ now: WallTime) -> Window {
    guard let tries, tries.count > 0, now < tries.since + window else { return Window(since: now, count: 1) }
    return Window(since: tries.since, count: tries.count + 1)
  }
}
