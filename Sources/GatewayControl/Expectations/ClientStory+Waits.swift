internal import GatewayCore
internal import GatewayRuntime

extension ClientStory {
  /// How long a client waited before it tried again: 812 ms between a close and the next connection, for instance, in
  /// the time of the network, which is the client's own.
  struct Wait {
    /// What it waited after, and what it did then.
    let event: JournalLine
    let attempt: JournalLine
    /// How many waits there were before, since an attempt succeeded.
    let rung: Int

    var duration: Duration { max(.zero, attempt.real - event.real) }
    var milliseconds: Double { Double(duration.nanoseconds) / 1e6 }
    var lines: [UInt64] { [event.number, attempt.number] }
  }

  /// The waits between lines of the kind and the next attempt after each. Of several such lines the last counts: before it
  /// the client cannot have known.
  func waits(after kind: JournalKind, before attempt: Attempt) -> [Wait] {
    var waits: [Wait] = []
    var event: JournalLine?
    // A client may come back before the closing handshake of its last connection is over.
    var early: JournalLine?
    var rung = 0
    for line in lines {
      if attempt.hasSucceeded(by: line) { rung = 0 }
      if let waited = event, attempt.isMade(by: line) {
        waits.append(Wait(event: waited, attempt: line, rung: rung))
        rung += 1
        if waited.event.kind == .cutOff { early = waited }
        event = nil
      }
      if line.event.kind == kind {
        if early?.connection == nil || early?.connection != line.connection { event = line }
      } else if kind == .closed, line.event.kind == .cutOff {
        event = line
      }
    }
    return waits
  }

  /// Milliseconds as people read them.
  static func text(_ duration: Duration) -> String {
    let milliseconds = duration.nanoseconds / 1_000_000
    if milliseconds < 10_000 { return "\(milliseconds) ms" }
    return "\(milliseconds / 1_000) s"
  }
}
