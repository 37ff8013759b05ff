internal import GatewayCore
import GatewayFleet

extension RecordedReport {
  /// The latencies as a log of HdrHistogram, version 1.3: a line for each with its name as tag, in microseconds.
  package var hdrLog: String {
    let named: [(tag: String, histogram: LatencyHistogram)] = [
      ("connect", latencies.connect), ("refresh", refreshLatency), ("outage", latencies.outage),
      ("provider", latencies.provider),
    ]
    var lines = [
      "#[Histogram log format version 1.3]",
      "#[postern storm\(run.map { " \($0)" } ?? ""), \(startedAt), values in microseconds]",
      "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"",
    ]
    for (tag, histogram) in named where histogram.count > 0 {
      let longest = Self.thousandths((histogram.maximum ?? .zero).inSeconds * 1000)
      lines.append("Tag=\(tag),0.000,\(Self.thousandths(seconds)),\(longest),\(HdrHistogram(histogram).text)")
    }
    return lines.map { $0 + "\n" }.joined()
  }
  /// Returns the number with three decimal places, for programs.
  private static func thousandths(_ number: Double) -> String {
    let scaled = UInt64(min(max(0, number * 1000), 1e15).rounded())
    return "\(scaled / 1000).\(String(1000 + scaled % 1000).dropFirst())"
  }
}
