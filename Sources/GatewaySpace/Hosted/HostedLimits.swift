internal import GatewayRuntime

/// The share that one hosted space may take of what it has in common with others: a thousand connections, for instance.
package struct HostedLimits: Sendable {
  package var connectionsMax = 1_000
  /// How much room there is for what happened in it.
  package var journalBytes = GatewayConfiguration.usualJournalBytes
  /// How much for what its messages said.
  package var journalPayloadBytes = 4 << 20
  /// How long a space is kept that nobody uses.
  package var idleTime = Duration.seconds(600)
  /// How long clients may take to answer the close frame when their space ends.
  package var closingTime = Duration.seconds(1)

  package init() {}
}
