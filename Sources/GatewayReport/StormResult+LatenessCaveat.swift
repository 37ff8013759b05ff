internal import GatewayCore
import GatewayFleet

extension StormResult {
  /// The warning that the storm itself was late, with the amount and the figures that it makes unusable.
  var latenessCaveat: String? {
    guard let lateness, let longest = lateness.late.maximum, let most = lateness.late.quantile(0.99) else { return nil }
    let spoiled = Metric.all.filter { $0.isSpoiled(self) }.map(\.name)
    guard !spoiled.isEmpty || longest >= Self.latenessMax else { return nil }
    let (longestText, mostText) = (Figures.duration(longest), Figures.duration(most))
    var words = "the storm itself was late, not the gateway: by up to \(longestText) (p99 \(mostText))"
    if let share = generatorShare { words += ", with \(Figures.percent(share)) of its processor" }
    if let stall = lateness.stalls.first {
      let (length, at) = (Figures.seconds(stall.length), Figures.seconds(stall.at))
      words += "; it stood still for \(length) from \(at) after the start on"
      let others = Set(lateness.stalls.map(\.process)).count > 1
      if stall.process > 0 || others { words += ", in its process \(stall.process)" }
    }
    words += spoiled.isEmpty ? "" : ". Not measurable: \(spoiled.joined(separator: ", "))"
    return words + ". Peaks, and who was cut off, may be its doing too. Give it a free processor, or --processes"
  }

  /// The minimum lateness that is reported even if it distorts no latency.
  private static let latenessMax = Duration.milliseconds(500)
}
