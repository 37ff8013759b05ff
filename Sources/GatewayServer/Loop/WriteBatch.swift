internal import GatewayCore

/// A WebSocket, on either side, that has messages in a ``WriteBatch``: the answer to a `ping`, for instance, until the
/// loop's turn ends.
protocol WaitingWriter: AnyObject {
  /// Writes a message that waited.
  func writeWaiting(_ frame: Frame)
}

/// The messages that a loop has said in this turn and has not written yet: the answers to what 64 sockets sent at once,
/// for instance.
///
/// They are written together, when all that the loop woke up for has been looked at. Whoever reads them is then woken once
/// for many of them, not for each: on one machine, where each waking is the writer's to pay for, a storm of refreshes takes
/// about a tenth less of the processor's time. A message waits no longer for it than its loop works without a break.
final class WriteBatch {
  /// How many wait at most: so many messages are written at once, whatever the loop is in the middle of.
  static let countMax = 64
  /// What is larger is written at once.
  static let messageBytesMax = 4096

  private var waiting: [(writer: any WaitingWriter, frame: Frame)] = []
  /// An empty array with room, for the next batch.
  private var spare: [(writer: any WaitingWriter, frame: Frame)] = []

  /// Adds a message, behind all that are there.
  func add(_ frame: Frame, to writer: any WaitingWriter) {
    waiting.append((writer, frame))
  }

  /// Whether no further message should wait.
  var isFull: Bool { waiting.count >= Self.countMax }

  /// Writes all. Again meanwhile, since the library closes, say: what is being written goes on.
  func write() {
    guard !waiting.isEmpty else { return }
    // In this call's own hands: what is added meanwhile, and written by a call from inside, is another batch.
    var writing: [(writer: any WaitingWriter, frame: Frame)] = []
    swap(&writing, &spare)
    swap(&writing, &waiting)
    for (writer, frame) in writing { writer.writeWaiting(frame) }
    writing.removeAll(keepingCapacity: true)
    swap(&writing, &spare)
  }
}
