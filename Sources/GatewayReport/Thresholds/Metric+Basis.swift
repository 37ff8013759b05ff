internal import GatewayCore
import GatewayFleet

extension Metric {
  /// The set that a figure is counted over: the clients that were connected before their tokens expired, for instance.
  /// Over nothing it says nothing: that nobody was lost of nobody is no good news.
  struct Basis: Sendable {
    let isThere: @Sendable (StormResult) -> Bool
    /// Why the figure is missing where it is not there.
    let otherwise: String

    static let storm = Basis(isThere: { _ in true }, otherwise: "")
    static let connected = Basis(
      isThere: { $0.connects.accepted + ($0.connects.before ?? 0) > 0 }, otherwise: "nobody was connected")
    /// Clients that were connected before their tokens expired. Of those that came too late, nothing is asked.
    static let due = Basis(
      isThere: { result in
        let everybody = result.everybody
        return result.connects.accepted > 0 && everybody.connected > everybody.late
      }, otherwise: "nobody was connected before the tokens expired")
    static let asked = Basis(
      isThere: { $0.refreshes.asked > 0 }, otherwise: "nobody was asked to refresh")
    static let calls = Basis(
      isThere: { $0.provider.calls > 0 }, otherwise: "no provider was asked")
    static let refreshCalls = Basis(
      isThere: { $0.provider.refreshCalls > 0 }, otherwise: "no provider was asked on account of a refresh")
  }

  /// The reason why a storm does not have a figure: nobody was connected, for instance.
  package struct Absence: Hashable, Sendable {
    /// What stands in the figure's place: `none`, `never` or `not measurable`.
    package let word: String
    package let reason: String

    static func none(_ reason: String) -> Absence { Absence(word: "none", reason: reason) }
    static func never(_ reason: String) -> Absence { Absence(word: "never", reason: reason) }
    /// The storm itself was late: by the difference of the bounds where they are seconds.
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
