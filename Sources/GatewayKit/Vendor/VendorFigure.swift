/// A metric that a vendor counts itself, for the page of metrics.
package struct VendorFigure: Hashable, Sendable {
  /// The kind of a metric in Prometheus.
  package enum Kind: Hashable, Sendable {
    /// A number that only grows.
    case counter
    case gauge
  }

  /// The name in the Prometheus text format, including `postern_` and `_total`.
  package let name: String
  package let kind: Kind
  package let help: String
  package let value: Double

  package init(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    self.name = name
    self.kind = kind
    self.help = help
    self.value = value
  }
}
