internal import GatewayCore

/// A text in the Prometheus format, version 0.0.4, for a page of `/metrics`.
///
/// An idle gateway has thousands of lines already, so each is appended in place, and what the lines of a family share is put
/// together once.
package struct PrometheusText {
  package private(set) var bytes: [UInt8] = []

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// A count, and the value of the label that tells it from others.
  package typealias Sample = (value: String, count: UInt64)

  /// Creates a page with room for about this many bytes.
  package init(bytes count: Int = 0) {
    bytes.reserveCapacity(count)
  }

  private mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

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
      add(name)
      var separator = "{"
      for (label, value) in zip(labels, values) {
        add(separator)
        add(label)
        add("=\"")
        add(Escaping.label(value))
        separator = "\","
      }
      end(with: count)
    }
  }

  /// A family of counters that two labels tell apart: the samples of each value of the first, all in the order of the page.
  package mutating func counters(
    _ name: String, _ help: String, labels: (String, String), _ groups: [(value: String, samples: [Sample])]
  ) {
    head(name, "counter", help)
    write(name, labels, groups)
  }

  /// A family of gauges that two labels tell apart: the samples of each value of the first, all in the order of the page.
  package mutating func gauges(
    _ name: String, _ help: String, labels: (String, String), _ groups: [(value: String, samples: [Sample])]
  ) {
    head(name, "gauge", help)
    write(name, labels, groups)
  }

  private mutating func write(
    _ name: String, _ labels: (String, String), _ groups: [(value: String, samples: [Sample])]
  ) {
    for (value, samples) in groups {
      write("\(name){\(labels.0)=\"\(Escaping.label(value))\",\(labels.1)=\"", samples)
    }
  }

  /// Writes a family of counters with one label, in the order of the page. `total` is in the name already.
  package mutating func counters(_ name: String, _ help: String, label: String, _ samples: [Sample]) {
    head(name, "counter", help)
    write("\(name){\(label)=\"", samples)
  }

  /// Writes a family of counters with one label. `total` is in the name already.
  package mutating func counters(_ name: String, _ help: String, label: String, _ values: [String: UInt64]) {
    counters(name, help, label: label, Self.samples(values))
  }

  /// Writes a family of gauges with one label, in the order of the page.
  package mutating func gauges(_ name: String, _ help: String, label: String, _ samples: [Sample]) {
    head(name, "gauge", help)
    write("\(name){\(label)=\"", samples)
  }

  package mutating func gauges(_ name: String, _ help: String, label: String, _ values: [String: UInt64]) {
    head(name, "gauge", help)
    write("\(name){\(label)=\"", Self.samples(values))
  }

  private static func samples(_ values: [String: UInt64]) -> [Sample] {
    values.map { (value: $0.key, count: $0.value) }.sorted { $0.value < $1.value }
  }

  /// Lines that begin alike, as far as the value of the last label.
  private mutating func write(_ beginning: String, _ samples: [Sample]) {
    for (value, count) in samples {
      add(beginning)
      add(Escaping.label(value))
      end(with: count)
    }
  }

  /// The end of a line, from behind the value of its last label.
  private mutating func end(with count: UInt64) {
    add(count == 0 ? "\"} 0\n" : "\"} \(count)\n")
  }

  package mutating func counter(_ name: String, _ help: String, _ value: Double) {
    head(name, "counter", help)
    add("\(name) \(Self.number(value))\n")
  }

  package mutating func gauge(_ name: String, _ help: String, _ value: Double) {
    head(name, "gauge", help)
    add("\(name) \(Self.number(value))\n")
  }

  package mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
    head(name, "histogram", help)
    write(name, "", histogram)
  }

  /// Writes histograms with one label.
  package mutating func histograms(
    _ name: String, _ help: String, label: String, _ histograms: [(value: String, histogram: Histogram)]
  ) {
    head(name, "histogram", help)
    for (value, histogram) in histograms { write(name, "\(label)=\"\(Escaping.label(value))\"", histogram) }
  }

  /// Writes a histogram with its own buckets.
  ///
  /// - Parameters:
  ///   - name: The name, without `_bucket`.
  ///   - help: The meaning of the count.
  ///   - buckets: The upper bound of each bucket in seconds, in order, and how many are up to there, with earlier buckets
  ///     included.
  ///   - count: How many there are in all.
  ///   - sum: Their sum in seconds.
  package mutating func histogram(
    _ name: String, _ help: String, _ buckets: [(bound: Double, upTo: UInt64)], count: UInt64, sum: Double
  ) {
    head(name, "histogram", help)
    write(name, "", buckets.map { (Self.number($0.bound), $0.upTo) } + [("+Inf", count)], count: count, sum: sum)
  }

  private mutating func write(_ name: String, _ label: String, _ histogram: Histogram) {
    var below: UInt64 = 0
    let buckets = zip(Self.bounds, histogram.counts).map { bound, count in
      below += count
      return (bound, below)
    }
    write(name, label, buckets, count: histogram.count, sum: histogram.sumSeconds)
  }

  private mutating func write(
    _ name: String, _ label: String, _ buckets: [(bound: String, upTo: UInt64)], count: UInt64, sum: Double
  ) {
    let all = label.isEmpty ? "" : "{\(label)}"
    let beginning = "\(name)_bucket{\(label)\(label.isEmpty ? "" : ",")le=\""
    for (bound, upTo) in buckets {
      add(beginning)
      add(bound)
      end(with: upTo)
    }
    add("\(name)_sum\(all) \(Self.number(sum))\n")
    add("\(name)_count\(all) \(count)\n")
  }

  /// The bounds of a histogram's buckets, as the page shows them.
  private static let bounds = Histogram.boundsSeconds.map(number) + ["+Inf"]

  private mutating func head(_ name: String, _ type: String, _ help: String) {
    add("# HELP \(name) \(help)\n# TYPE \(name) \(type)\n")
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
