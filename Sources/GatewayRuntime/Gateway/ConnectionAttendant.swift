package import GatewayCore

/// An object beside the vendors that keeps state for each connection. A gateway has at most one.
package protocol ConnectionAttendant: Sendable {
  /// Returns the origin of an upgrade that gets a socket.
  func origin(of upgrade: HTTPRequest) -> UpgradeOrigin

  /// Returns whether an upgrade of that dialect without credentials is a login all the same.
  func takesNoCredentials(of dialect: any Dialect) -> Bool

  /// A connection is open. On its loop, before its first message.
  func opened(_ connection: ConnectionID, from origin: UpgradeOrigin)

  /// A connection has ended. On its loop.
  func ended(_ connection: ConnectionID)
}

/// The origin of a connection: the address of its peer, some header fields of its upgrade, and the trace that the upgrade
/// belongs to.
package struct UpgradeOrigin: Hashable, Sendable {
  package let address: String
  package let fields: [HTTPField]
  /// Nil if there is none, or nobody goes on with it.
  package var trace: TraceContext?

  package init(address: String, fields: [HTTPField], trace: TraceContext? = nil) {
    self.address = address
    self.fields = fields
    self.trace = trace
  }
}
