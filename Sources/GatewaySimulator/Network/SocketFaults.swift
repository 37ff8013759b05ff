/// The misbehaviour of one end of a connection. Every property may change while the connection is open.
package struct SocketFaults: Hashable, Sendable {
  /// Whether the end reads. If it does not, arriving data fills the other end's window, then its queue.
  package var isReading = true
  /// Whether pings are answered.
  package var answersPings = true
  /// Whether a close frame is answered; if not, it is not even noticed.
  package var answersClose = true
  /// Whether the end has vanished without a close: nothing it sends arrives, and it receives nothing, not even a reset.
  package var isHalfOpen = false
  /// The number of the next messages from this end that are lost.
  package var messagesToLose = 0
  /// The share of the messages from this end that are lost, 0...1.
  package var lossShare = 0.0

  package init() {}
}
