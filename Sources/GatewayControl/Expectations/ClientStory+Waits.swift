internal import GatewayCore
internal import GatewayRuntime

extension ClientStory {
  /// A client's wait before its next attempt, in the time of the network, which is also the client's.
  struct Wait {
    /// The numbers of the line that it waited after, and of the attempt.
    let lines: [UInt64]
    let duration: Duration
    /// The number of waits before it since an attempt succeeded.
    let rung: Int
    /// The beginning and the end, in the time of the network.
    let from: Duration
    let to: Duration
    /// The time of the first line from which the client may have known, e.g. the close that the gateway sent before the
    /// end of the handshake.
    let known: Duration

    init(_ event: JournalLine, _ attempt: JournalLine, known: JournalLine?, rung: Int) {
      lines = [event.number, attempt.number]
      duration = max(.zero, attempt.real - event.real)
      self.rung = rung
      (from, to) = (event.real, attempt.real)
      self.known = known?.real ?? event.real
    }

    var milliseconds: Double { Double(duration.nanoseconds) / 1e6 }
  }

  /// The waits between lines of a kind and the next attempt after each. Of several such lines the last counts: before
  /// it the client cannot have known.
  struct Waits {
    private let kind: JournalKind
    private let attempt: Attempt
    private(set) var all: [Wait] = []
    /// Whether there was a line of the kind.
    private(set) var hasBegun = false
    private var event: JournalLine?
    private var known: JournalLine?
    // A client may reconnect before the closing handshake of its last connection is over.
    private var early: JournalLine?
    private var rung = 0

    init(after kind: JournalKind, before attempt: Attempt) {
      (self.kind, self.attempt) = (kind, attempt)
    }

    mutating func hear(_ line: JournalLine) {
      if attempt.hasSucceeded(by: line) { rung = 0 }
      if let waited = event, attempt.isMade(by: line) {
        all.append(Wait(waited, line, known: known, rung: rung))
        rung += 1
        if waited.event.kind == .cutOff { early = waited }
        event = nil
      }
      if line.event.kind == kind {
        hasBegun = true
        if early?.connection == nil || early?.connection != line.connection {
          known = event?.event.kind == .cutOff && event?.connection == line.connection ? event : line
          event = line
        }
      } else if kind == .closed, line.event.kind == .cutOff {
        (event, known) = (line, line)
      }
    }
  }
}
