/// An alarm for the silence of one peer, where sessions live in a time of their own: however far theirs is moved, the peer
/// of a session in a hosted space, for instance, is pinged when the network has been silent for 30 s.
///
/// Set in the loop of the network, whose thread the connection's loop shares.
final class SilenceAlarm: WakeupTarget {
  /// Forgets the alarm when it ends.
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
