internal import GatewayCore

// The departure of a client at the end of its stay.

extension ClientSession {
  /// Ends the client as at the end of the storm, and appends the effects. Returns whether it was connected; its
  /// connection then counts as ended, whenever its socket is closed.
  package mutating func leave(into effects: inout [ClientEffect]) -> Bool {
    stop(into: &effects)
    guard case .leaving(wasLive: true) = phase else { return false }
    phase = .leaving(wasLive: false)
    return true
  }

  /// Continues the request numbers of the client that had its place before, so that it never accepts that client's
  /// answers.
  package mutating func follow(_ other: ClientSession) { fetchNumber = other.fetchNumber &+ 1 }
}
