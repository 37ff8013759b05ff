internal import GatewayCore

// The departure of a client whose stay is over.

extension ClientSession {
  /// Ends the client as at the end of the storm, and appends the effects. Returns whether it was connected; its
  /// connection then counts as ended, whenever its socket is closed.
  package mutating func leave(into effects: inout [ClientEffect]) -> Bool {
    stop(into: &effects)
    guard case .leaving(wasLive: true) = phase else { return false }
    phase = .leaving(wasLive: false)
    return true
  }

  /// Continues the numbers of requests of the client that had its place before, so that none of that client's answers is
  /// taken for one of its own.
  package mutating func follow(_ other: ClientSession) { fetchNumber = other.fetchNumber &+ 1 }
}
