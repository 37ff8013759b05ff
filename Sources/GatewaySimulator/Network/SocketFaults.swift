/// The misbehaviour of one end of a connection: it answers no pings, for instance. Everything may change while the
/// connection is open.
package struct SocketFaults: Hashable, Sendable {
  /// Whether the end reads. What arrives meanwhile fills the other end's window, then its queue.
  package var isReading = true
  /// Whether pings are answered.
  package var answersPings = true
  /// Whether a close frame is answered, or even noticed.
  package var answersClose = true
  /// The end is gone without a word: nothing it says arrives, nothing that arrives is seen, not even a reset.
  package var isHalfOpen = false
  /// How many of the next messages from this end vanish.
  package var messagesToLose = 0
  /// Which share of the messages from this end vanishes, 0...1.
  package var lossShare = 0.0

  package init() {}
}
