internal import GatewayCore
internal import GatewayFleet

/// A figure of a storm beside that of its simulation.
package struct CalibratedFigure: Hashable, Sendable {
  /// The figure, e.g. `p99 of the tokens`.
  package let name: String
  package let unit: Unit
  package let measured: Double
  package let simulated: Double
  /// The difference as a share of the measured figure, or of the least that counts if that is more.
  package let difference: Double

  package enum Unit: String, Hashable, Sendable {
    case count
    case seconds
    /// Tokens a second.
    case rate
  }

  private init(_ name: String, _ unit: Unit, _ measured: Double, _ simulated: Double, least: Double) {
    self.name = name
    self.unit = unit
    self.measured = measured
    self.simulated = simulated
    let scale = max(abs(measured), least, 1e-9)
    difference = min(10, abs(simulated - measured) / scale)
  }

  /// Returns the figures that the distance is made of.
  ///
  /// - Parameters:
  ///   - storm: The storm.
  ///   - world: Its simulation.
  static func all(_ storm: StormEvidence, _ world: StormEvidence) -> [CalibratedFigure] {
    var figures = [
      CalibratedFigure("calls", .count, storm.calls, world.calls, least: 50),
      CalibratedFigure("calls without a token", .count, storm.refused, world.refused, least: max(50, storm.calls / 10)),
    ]
    for share in StormEvidence.shares.dropFirst() {
      guard let measured = storm.rate(ofShare: share), let simulated = world.rate(ofShare: share) else { continue }
      figures.append(
        CalibratedFigure("tokens a second, densest \(Int(share * 100)) %", .rate, measured, simulated, least: 1))
    }
    for percent in quantiles {
      let share = Double(percent) / 100
      guard let measured = storm.granted.quantile(share), let simulated = world.granted.quantile(share) else {
        continue
      }
      figures.append(
        CalibratedFigure(
          "time to a token, p\(percent)", .seconds, measured.inSeconds, simulated.inSeconds, least: secondsLeast))
    }
    return figures
  }

  private static let quantiles = [5, 25, 50, 75, 90, 99]
  /// Differences of times are shares of this many seconds at the least: a busy machine is late by more than a
  /// millisecond.
  private static let secondsLeast = 0.02
}
