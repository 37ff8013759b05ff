internal import GatewayCore
internal import GatewayRuntime

// A refused login, for an SDK whose reconnect depends on the close that follows.

extension ClientSession {
  /// Returns whether the client awaits the close that follows such a refusal of its login.
  func closeDecides(about number: Int) -> Bool {
    guard let habit = habits.comeback, habit.closeDecidesAboutErrors else { return false }
    return !habit.renewingErrors.contains(number) && !habit.finalErrors.contains(number)
  }

  /// Handles the close that follows a refused login, if it decides whether the client reconnects.
  mutating func closedAfterRefusal(
    _ number: Int, _ name: String, _ code: UInt16?, at now: Instant, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    guard code != CloseReason.normal.code else { return refusedForGood(number, name, into: &effects) }
    // The refusal counts as one failure, and the close as another.
    outage = outage ?? Outage(since: now)
    outage?.failures += 1
    tokenRefusedAway(number, name, at: now, chance: &chance, into: &effects)
  }

  /// Ends the client after a refused login.
  mutating func refusedForGood(_ number: Int, _ name: String, into effects: inout [ClientEffect]) {
    if hasSocket { effects.append(.close) }
    if let outage {
      effects.append(.record(.returnRefused(name, isOldToken: !outage.hasNewToken)))
      return giveUpReturn("gateway_\(name)", into: &effects)
    }
    effects.append(.record(.connectFailed(name)))
    phase = hasSocket ? .leaving(wasLive: false) : .ended
  }
}
