internal import GatewayCore
import GatewayFleet

extension Metric {
  /// The set over which a figure is counted, e.g. the clients that were connected before their tokens expired. Over an
  /// empty set a figure is meaningless: 0 lost clients of 0 is no success.
  struct Basis: Sendable {
    let isThere: @Sendable (StormResult) -> Bool
    /// Why the figure is missing if the set is empty.
    let otherwise: String

    static let storm = Basis(isThere: { _ in true }, otherwise: "")
    static let connected = Basis(
      isThere: { $0.connects.accepted + ($0.connects.before ?? 0) > 0 }, otherwise: "nobody was connected")
    /// Clients that were connected before their tokens expired. Clients that came later are not asked to refresh.
    static let due = Basis(
      isThere: { result in
        let everybody = result.everybody
        return result.connects.accepted > 0 && everybody.connected > everybody.late
      }, otherwise: "nobody was connected before the tokens expired")
    /// A fleet that comes once: where clients leave by themselves, fewer of them are no dip.
    static let staying = Basis(
      isThere: { $0.arrivals == nil && connected.isThere($0) },
      otherwise: "nobody was connected, or clients come and go by the scenario")
    static let open = Basis(isThere: { $0.arrivals != nil }, otherwise: "the fleet comes once and stays")
    static let asked = Basis(
      isThere: { $0.refreshes.asked > 0 }, otherwise: "nobody was asked to refresh")
    static let calls = Basis(
      isThere: { $0.provider.calls > 0 }, otherwise: "no provider was asked")
    static let refreshCalls = Basis(
      isThere: { $0.provider.refreshCalls > 0 }, otherwise: "no provider was asked on account of a refresh")
  }

  /// The reason why a storm does not have a figure.
  package struct Absence: Hashable, Sendable {
    /// The word in the figure's place: `none`, `never` or `not measurable`.
    package let word: String
    package let reason: String

    static func none(_ reason: String) -> Absence { Absence(word: "none", reason: reason) }
    static func never(_ reason: String) -> Absence { Absence(word: "never", reason: reason) }
    /// Returns the reason that the storm itself was late: by the difference of the bounds if they are seconds.
    static func ownLateness(_ range: ClosedRange<Double>, _ unit: Unit) -> Absence {
      guard unit == .duration else {
        return .unmeasurable(
          "the storm itself was late: between \(unit.text(range.lowerBound, digits: 1)) and "
            + "\(unit.text(range.upperBound, digits: 1)), by how much of it is the storm's doing and not the gateway's")
      }
      return .unmeasurable(
        "the storm itself was late: it saw \(Figures.seconds(range.upperBound)), of which up to "
          + "\(Figures.seconds(range.upperBound - range.lowerBound)) are its own and not the gateway's")
    }
    static func unmeasurable(_ reason: String) -> Absence { Absence(word: "not measurable", reason: reason) }
  }
}
