/// The kind of a user, which decides what the user may do.
package enum UserKind: String, Hashable, Codable, Sendable, BitwiseCopyable, CaseIterable {
  /// A user known to the application; may do everything.
  case regular
  /// A user created by a guest token; may connect and join calls.
  case guest
  /// A user without an identity: may open no WebSocket, and over HTTP use only the calls that the call token lists.
  case anonymous
}
