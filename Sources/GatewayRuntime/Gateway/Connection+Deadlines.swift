internal import GatewayCore

// When the connection is woken.

extension Connection {
  /// Moves the wake-up nearer if need be. It is never moved away: an early wake-up changes nothing, and a chatty peer
  /// would move it with every message. While it waits, silence is no nearer than it was when it was set, since every sign
  /// of life puts that off.
  func setWakeup() {
    var wanted = standing.deadline
    if table.hasTwoClocks {
      watchSilence()
    } else if !wakeup.isSet, let livenessDeadline {
      wanted = min(wanted, livenessDeadline)
    }
    let deadlines = table.loop.deadlines
    guard wanted < deadlines.deadline(of: wakeup) else { return }
    deadlines.set(wakeup, at: wanted)
  }

  func passDeadline() {
    if table.hasTwoClocks || !isGivenUp() { handle(.wakeUp) } else { handle(.peerSilent) }
  }
}
