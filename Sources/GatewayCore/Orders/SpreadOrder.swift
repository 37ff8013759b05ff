/// An order to ask sessions for their next tokens early, evenly spread over a time.
///
/// Consists of values only, as its filter does.
package struct SpreadOrder: Hashable, Sendable {
  /// Whose.
  package var sessions: SessionFilter
  /// The tokens that end from this time on…
  package var from: WallTime
  /// …and before this.
  package var before: WallTime
  /// Over how long they are asked, at most; nil for all the time that there is.
  package var over: Duration?

  package init(_ sessions: SessionFilter = SessionFilter(), from: WallTime, before: WallTime, over: Duration? = nil) {
    self.sessions = sessions
    self.from = from
    self.before = before
    self.over = over
  }

  /// The number of sessions that are going to be asked, and over how long.
  package struct Outcome: Hashable, Sendable {
    package var sessions = 0
    package var over = Duration.zero
    /// The number of the order, by which it can be taken back. Nil if no session is going to be asked.
    package var order: UInt64?
    /// The nodes that did not answer in time, and perhaps do not carry it out.
    package var missing: [String] = []

    package init(sessions: Int = 0, over: Duration = .zero) {
      (self.sessions, self.over) = (sessions, over)
    }
  }

  /// The state of an order that is under way.
  package struct Progress: Hashable, Sendable {
    package let order: UInt64
    /// The number of sessions that are still to be asked.
    package var waiting: Int
    /// How long it takes until the last of them is asked.
    package var left: Duration

    package init(order: UInt64, waiting: Int, left: Duration) {
      (self.order, self.waiting, self.left) = (order, waiting, left)
    }
  }
}
