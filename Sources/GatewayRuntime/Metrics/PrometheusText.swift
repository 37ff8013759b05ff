internal import GatewayCore

/// Writes the Prometheus text format, version 0.0.4.
package struct PrometheusText {
  package private(set) var text = ""

  package init() {}

  /// A family of counters that several labels tell apart. `total` is in the name already.
  package mutating func counters(
    _ name: String, _ help: String, labels: [String], _ samples: [(values: [String], count: UInt64)]
  ) {
    head(name, "counter", help)
    write(name, labels, samples)
  }

  /// A family of gauges that several labels tell apart.
  package mutating func gauges(
    _ name: String, _ help: String, labels: [String], _ samples: [(values: [String], count: UInt64)]
  ) {
    head(name, "gauge", help)
    write(name, labels, samples)
  }

  private mutating func write(_ name: String, _ labels: [String], _ samples: [(values: [String], count: UInt64)]) {
    for (values, count) in samples.sorted(by: { $0.values.lexicographicallyPrecedes($1.values) }) {
      let pairs = zip(labels, values).map { "\($0)=\"\(Escaping.label($1))\"" }
      text += "\(name){\(pairs.joined(separator: ","))} \(count)\n"
    }
  }

  /// A family of counters that one label tells apart. `total` is in the name already.
  package mutating func counters(_ name: String, _ help: String, label: String, _ values: [String: UInt64]) {
    head(name, "counter", help)
    for (value, count) in values.sorted(by: { $0.key < $1.key }) {
      text += "\(name){\(label)=\"\(Escaping.label(value))\"} \(count)\n"
    }
  }

  package mutating func counter(_ name: String, _ help: String, _ value: Double) {
    head(name, "counter", help)
    text += "\(name) \(Self.number(value))\n"
  }

  package mutating func gauge(_ name: String, _ help: String, _ value: Double) {
    head(name, "gauge", help)
    text += "\(name) \(Self.number(value))\n"
  }

  package mutating func gauges(_ name: String, _ help: String, label: String, _ values: [String: UInt64]) {
    head(name, "gauge", help)
    for (value, count) in values.sorted(by: { $0.key < $1.key }) {
      text += "\(name){\(label)=\"\(Escaping.label(value))\"} \(count)\n"
    }
  }

  package mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
    head(name, "histogram", help)
    write(name, "", histogram)
  }

  /// Histograms that one label tells apart.
  package mutating func histograms(
    _ name: String, _ help: String, label: String, _ histograms: [(value: String, histogram: Histogram)]
  ) {
    head(name, "histogram", help)
    for (value, histogram) in histograms { write(name, "\(label)=\"\(Escaping.label(value))\"", histogram) }
  }

  private mutating func write(_ name: String, _ label: String, _ histogram: Histogram) {
    let first = label.isEmpty ? "" : "\(label),"
    let all = label.isEmpty ? "" : "{\(label)}"
    var below: UInt64 = 0
    for (bound, count) in zip(Histogram.boundsSeconds, histogram.counts) {
      below += count
      text += "\(name)_bucket{\(first)le=\"\(Self.number(bound))\"} \(below)\n"
    }
    text += "\(name)_bucket{\(first)le=\"+Inf\"} \(histogram.count)\n"
    text += "\(name)_sum\(all) \(Self.number(histogram.sumSeconds))\n"
    text += "\(name)_count\(all) \(histogram.count)\n"
  }

  private mutating func head(_ name: String, _ type: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
