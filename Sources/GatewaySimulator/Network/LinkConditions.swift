/// The properties of the link between the two ends of a simulated connection.
package struct LinkConditions: Hashable, Sendable {
  /// The travel time of a packet, one way, drawn uniformly from the range for each packet. Packets never overtake each
  /// other.
  package var latency: ClosedRange<Duration>
  /// The number of unread bytes that the system's buffers hold before a sender's messages are queued.
  package var windowBytes: Int
  /// The number of bytes that a sender queues beyond that before it overflows.
  package var queueBytesMax: Int
  /// The size limit of a message at an accepting end.
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
