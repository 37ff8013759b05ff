internal import GatewayCore
internal import GatewayKit
internal import Synchronization

/// The counts of wrong invitation codes in the current time window, by address and in total, at all nodes.
final class StreemTries: Sendable {
  /// The tries in a window, with its start.
  private struct Window {
    var since = WallTime(nanoseconds: .min)
    var count = 0
  }

  private struct State {
    var addresses: [Name: Window] = [:]
    var everybody = Window()
  }

  private let state = Mutex(State())
  /// Nil without other nodes.
  private let tally: NodeTally?

  init(tally: NodeTally?) {
    self.tally = tally
  }

  /// Counts a try. Returns nil if one was left, else the time until the next one.
  func take(_ address: Name, _ limits: StreemTryLimits, at now: WallTime) -> Duration? {
    let wait = counted(address, limits, at: now)
    if wait == nil { tally?.tell("take \(address.text)") }
    return wait
  }

  /// Takes back the last try of the address, which turned out not to be a wrong code.
  func giveBack(_ address: Name) {
    takeBack(address)
    tally?.tell("back \(address.text)")
  }

  /// Counts a try at another node, or takes it back, if the note is about one.
  func hear(_ note: VendorNote, _ limits: StreemTryLimits, at now: WallTime) {
    guard let parts = tally?.parts(2, of: note) else { return }
    if parts[0] == "take" { _ = counted(Name(parts[1]), limits, at: now) } else { takeBack(Name(parts[1])) }
  }

  private func counted(_ address: Name, _ limits: StreemTryLimits, at now: WallTime) -> Duration? {
    state.withLock { state in
      if let wait = Self.wait(state.addresses[address], limits.perAddress, limits.window, now) { return wait }
      if let wait = Self.wait(state.everybody, limits.overall, limits.window, now) { return wait }
      if state.addresses.count >= limits.overall {
        // A window has no more addresses than tries, so this makes room.
        state.addresses = state.addresses.filter { $0.value.count > 0 && now < $0.value.since + limits.window }
      }
      state.addresses[address] = Self.counted(state.addresses[address], limits.window, now)
      state.everybody = Self.counted(state.everybody, limits.window, now)
      return nil
    }
  }

  private func takeBack(_ address: Name) {
    state.withLock { state in
      if let count = state.addresses[address]?.count, count > 0 { state.addresses[address]?.count = count - 1 }
      state.everybody.count = max(0, state.everybody.count - 1)
    }
  }

  /// Returns the time until the next try; nil if one is left.
  private static func wait(_ tries: Window?, _ most: Int, _ window: Duration, _ now: WallTime) -> Duration? {
    guard let tries, tries.count >= most, now < tries.since + window else { return nil }
    return tries.since + window - now
  }

  private static func counted(_ tries: Window?, _ window: Duration, _ now: WallTime) -> Window {
    guard let tries, tries.count > 0, now < tries.since + window else { return Window(since: now, count: 1) }
    return Window(since: tries.since, count: tries.count + 1)
  }
}
