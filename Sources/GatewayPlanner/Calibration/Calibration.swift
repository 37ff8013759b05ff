internal import GatewayCore
package import GatewayFleet

/// A provider that behaves as a token endpoint did in storms of it, or why there is none.
package struct Calibration: Sendable {
  /// The provider.
  package let provider: ProviderModel
  /// The rates that explain the storms as well.
  package let rates: ClosedRange<Double>
  /// Whether calls were refused because too many waited; otherwise the length of the queue is unknown.
  package let hasQueueLimit: Bool
  /// The most calls that waited at once.
  package let waitedMost: Int
  /// Whether calls timed out, which shows what the endpoint does with them.
  package let hasTimeOuts: Bool
  /// The calls that the endpoint answered as busy, and how it told them to wait.
  package let told: ToldWaits?
  /// The figures of each storm beside its simulation.
  package let figures: [[CalibratedFigure]]
  /// The number of simulated storms.
  package let worlds: Int

  /// The largest difference of a figure.
  package var distance: Double { figures.flatMap(\.self).map(\.difference).max() ?? 0 }

  /// The outcome of a calibration.
  package enum Outcome: Sendable {
    case found(Calibration)
    /// Nothing in the storms shows a limit.
    case neverPressed(NeverPressed)
  }

  /// What storms showed of an endpoint whose limit they did not reach.
  package struct NeverPressed: Hashable, Sendable {
    /// The time to a token: the shortest, and that of 99 %.
    package let fastest: Duration
    package let slowest: Duration
    /// The most tokens a second.
    package let rate: Double
  }
}
