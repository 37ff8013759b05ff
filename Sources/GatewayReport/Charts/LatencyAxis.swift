internal import GatewayCore
import GatewayFleet
internal import Glibc

/// A logarithmic axis of whole decades with room for all recorded durations, e.g. 1 ms to 10 s.
struct LatencyAxis {
  /// Decimal logarithms of microseconds.
  let low: Double
  let high: Double

  /// Creates the axis; nil if nothing was recorded.
  init?(_ histograms: [LatencyHistogram]) {
    guard let shortest = histograms.compactMap(\.minimum).min(), let longest = histograms.compactMap(\.maximum).max()
    else { return nil }
    low = Self.decade(shortest).rounded(.down)
    high = max(low + 1, Self.decade(longest).rounded(.up))
  }

  /// Returns the position of a duration as a share of the axis.
  func share(of duration: Duration) -> Double { (Self.decade(duration) - low) / (high - low) }

  var labels: [(share: Double, text: String)] {
    stride(from: low, through: high, by: 1).map { ((($0 - low) / (high - low)), Self.name(ofDecade: $0)) }
  }

  /// Returns the decimal logarithm of the microseconds; less than one microsecond counts as one.
  private static func decade(_ duration: Duration) -> Double {
    log10(max(1, duration.inSeconds * 1e6))
  }

  private static func name(ofDecade decade: Double) -> String {
    let value = Int(pow(10, decade.truncatingRemainder(dividingBy: 3)).rounded())
    return switch decade {
    case ..<3: "\(value) us"
    case ..<6: "\(value) ms"
    case ..<9: "\(value) s"
    default: "\(Figures.count(value * 1000)) s"
    }
  }
}
