/// A number that a vendor counts of its own, for the page of metrics: how many channels its applications keep, say.
package struct VendorFigure: Hashable, Sendable {
  /// The kind of figure, as Prometheus knows it: a gauge, for instance, which may fall.
  package enum Kind: Hashable, Sendable {
    /// Only ever grows.
    case counter
    case gauge
  }

  /// As in the Prometheus text format, `postern_` and `_total` included.
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
