internal import GatewayCore

/// A push that the planner gives a fleet, to see whether it recovers.
package struct Disturbance: Hashable, Sendable {
  /// The disturbed part, and the meaning of a disturbance's size.
  package enum Kind: String, Hashable, Sendable {
    /// The provider serves no request for this many seconds; requests wait.
    case outage
    /// A share of the tokens ends in one moment.
    case herd
    /// A share of the connections ends in one moment, as when a gateway restarts.
    case restart
    /// The provider has a share of its capacity for a minute.
    case slow
    /// A share of the provider's answers is lost for a minute.
    case lost
    /// A share of the provider's queue is filled at once with requests of callers that have gone.
    case backlog

    /// The kinds that a search for the least push tries.
    package static let pushes: [Kind] = [.outage, .herd, .restart, .slow, .lost]
  }

  package let kind: Kind
  package let at: Duration
  package let size: Double

  package init(_ kind: Kind, at: Duration, size: Double) {
    self.kind = kind
    self.at = at
    self.size = size
  }

  /// How long it lasts.
  package var length: Duration {
    switch kind {
    case .outage: .saturating(seconds: size)
    case .herd, .restart, .backlog: .zero
    case .slow, .lost: .seconds(60)
    }
  }

  package var end: Duration { at + length }
}
