internal import GatewayRuntime

/// The limits of one hosted space's share of what it has in common with others, e.g. a thousand connections.
package struct HostedLimits: Sendable {
  package var connectionsMax = 1_000
  /// How much room there is for what happened in it.
  package var journalBytes = GatewayConfiguration.usualJournalBytes
  /// The part of it for the content of messages.
  package var journalPayloadBytes = 4 << 20
  /// How many bytes its journal may take.
  var journalRoom: Int { journalBytes + journalPayloadBytes }

  /// How small a journal gets where there are many spaces.
  private static let journalBytesMin = 32 << 10

  /// The same with a journal of `room` bytes, if that is less than it would take, but never so small that it is of no use.
  func withJournal(of room: Int) -> HostedLimits {
    guard room < journalRoom else { return self }
    var limits = self
    limits.journalBytes = min(journalBytes, max(Self.journalBytesMin, room / 2))
    limits.journalPayloadBytes = min(journalPayloadBytes, max(Self.journalBytesMin, room / 2))
    return limits
  }

  /// How long an unused space exists.
  package var idleTime = Duration.seconds(600)
  /// How long clients may take to answer the close frame when their space ends.
  package var closingTime = Duration.seconds(1)

  package init() {}
}
