internal import GatewayCore

/// The network between the clients, the gateway and the provider.
package struct LinkModel: Hashable, Sendable {
  /// The one-way latency of a packet, drawn evenly from the range for each packet. Packets of one connection never
  /// overtake each other.
  package var latency: ClosedRange<Duration>
  /// The share of packets that are lost and sent again, after 200 ms at first and twice as long each time, as in TCP.
  package var loss: Double

  package init(latency: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(20)), loss: Double = 0) {
    self.latency = latency
    self.loss = loss
  }

  private static let retransmission: Int64 = 200_000_000
  private static let retransmissionsMax = 6

  /// Returns the latency of the next packet, in nanoseconds.
  func delay(_ chance: inout SeededGenerator) -> Int64 {
    let (least, most) = (latency.lowerBound.nanoseconds, latency.upperBound.nanoseconds)
    var delay = least < most ? least + Int64(Double(most - least) * chance.nextShare()) : least
    guard loss > 0 else { return delay }
    var wait = Self.retransmission
    for _ in 0..<Self.retransmissionsMax where chance.nextShare() < loss {
      delay += wait
      wait *= 2
    }
    return delay
  }
}
