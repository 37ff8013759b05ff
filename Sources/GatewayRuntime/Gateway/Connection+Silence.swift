internal import GatewayCore

// The check that the peer is still there: the gateway pings it after a time of silence. All times are in the network's time,
// which no order moves.

extension Connection {
  /// The time at which the peer's silence requires an action.
  var livenessDeadline: Instant? {
    guard !standing.isClosing else { return nil }
    switch liveness {
    case .ping(let interval, let timeout):
      return isPinged ? pingedAt + timeout : (conversation?.askedAt ?? lastHeard) + interval
    case .silence(let limit): return lastHeard + limit
    case .none: return nil
    }
  }

  private var isPinged: Bool { pingedAt != .distantFuture }

  private var liveness: Liveness { binding.liveness ?? table.liveness }

  /// Whether a peer that is silent for too long is first asked for a sign of life.
  var asksSilentPeers: Bool {
    if case .ping = liveness { true } else { false }
  }

  /// Sets the timer for silence, if the session has a separate one. The timer is never moved forward.
  func watchSilence() {
    guard let timer = table.silenceWakeup(of: self), !timer.isSet, let livenessDeadline else { return }
    table.transport.deadlines.set(timer, at: livenessDeadline)
  }

  private func passSilence() {
    if isGivenUp() { handle(.peerSilent) } else { watchSilence() }
  }

  /// Returns whether the peer has been silent too long. It is pinged first.
  func isGivenUp() -> Bool {
    let now = table.transport.now
    guard let deadline = livenessDeadline, deadline <= now else { return false }
    if isPinged || !asksSilentPeers { return true }
    pingedAt = now
    if !asksInItsWords(at: now) { socket?.ping() }
    return false
  }

  func heard() {
    lastHeard = table.transport.now
    guard isPinged else { return }
    // The wake-up is set for the peer that stays silent, which may be later than the next time to ask.
    pingedAt = .distantFuture
    guard let wakeup = table.hasTwoClocks ? table.silenceWakeup(of: self) : wakeup else { return }
    let deadlines = table.transport.deadlines
    if let livenessDeadline, livenessDeadline < deadlines.deadline(of: wakeup) {
      deadlines.set(wakeup, at: livenessDeadline)
    }
  }

  /// Handles the separate timer for the peer's silence.
  nonisolated func silenceIsDue() {
    onLoop { $0.passSilence() }
  }
}
