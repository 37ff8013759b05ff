package import GatewayCore

/// The calls of Stream's coordinator, with their members and sessions.
///
/// Obligations of every implementation are those of ``Directory``; a change is made whole or not at all, and may be
/// computed more than once.
package protocol StreamCallDirectory: Sendable {
  /// What to make of a call; what it throws leaves the call as it was.
  typealias Change = @Sendable (inout StreamCall) throws(GatewayError) -> Void

  /// The call, nil if there is none.
  func call(_ id: CallID) async -> StreamCall?

  /// The call of that name as it is, or `call` if there was none; and whether there was none.
  func makeCall(_ call: StreamCall) async throws(GatewayError) -> (call: StreamCall, isNew: Bool)

  /// The call before and after `change`; throws ``GatewayError/notFound`` if there is none.
  func updateCall(_ id: CallID, _ change: @escaping Change) async throws(GatewayError) -> StreamCallChange

  /// Forgets the call, and returns it as it was; nil if there was none.
  func removeCall(_ id: CallID) async -> StreamCall?

  /// At most `limit` calls for which `isMeant` holds, in the order that `precedes` gives, without the first `offset`.
  func calls(
    where isMeant: @escaping @Sendable (StreamCall) -> Bool,
    by precedes: @escaping @Sendable (StreamCall, StreamCall) -> Bool, offset: Int, limit: Int
  ) async -> [StreamCall]

  /// The calls in which the user takes part by that connection, or without any if nil, in the order of their names.
  func calls(joinedBy user: UserID, on connection: ConnectionID?) async -> [CallID]
}

/// What a change made of a call.
package struct StreamCallChange: Hashable, Sendable {
  package var before: StreamCall
  package var after: StreamCall

  package init(before: StreamCall, after: StreamCall) {
    self.before = before
    self.after = after
  }
}
