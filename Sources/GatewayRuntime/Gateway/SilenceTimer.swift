/// A timer for the silence of a peer whose session has its own clock, as in a hosted space.
///
/// The silence is measured in the network's time, which no order moves. The timer is set in the loop of the network, on
/// whose thread the connection's loop runs.
final class SilenceTimer: WakeupTarget {
  /// Forgets the timer when it ends.
  private unowned let connection: Connection
  private(set) var wakeup: Wakeup!

  init(for connection: Connection) {
    self.connection = connection
    wakeup = Wakeup(target: self)
  }

  func wakeUp() {
    let connection = connection
    connection.table.loop.asCurrent { connection.silenceIsDue() }
  }
}
