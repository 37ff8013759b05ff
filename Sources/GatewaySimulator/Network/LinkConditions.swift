/// The link between two ends of a simulated connection: 20 to 80 ms each way, for instance.
package struct LinkConditions: Hashable, Sendable {
  /// How long a packet travels, one way; drawn evenly from the range for each. Packets never overtake each other.
  package var latency: ClosedRange<Duration>
  /// How many unread bytes the system's buffers take before a sender's messages queue.
  package var windowBytes: Int
  /// How many bytes a sender queues beyond that before it overflows.
  package var queueBytesMax: Int
  /// The largest message an accepting end takes.
  package var messageBytesMax: Int

  package init(
    latency: ClosedRange<Duration> = .zero ... .zero, windowBytes: Int = 65_536, queueBytesMax: Int = 65_536,
    messageBytesMax: Int = 65_536
  ) {
    self.latency = latency
    self.windowBytes = windowBytes
    self.queueBytesMax = queueBytesMax
    self.messageBytesMax = messageBytesMax
  }
}
