/// The turns of the nodes of one gateway. One node at a time changes a thing and announces the change.
///
/// A turn is a lease with a fencing number. A holder that is stopped, or cut off, for longer than the lease lasts loses it.
/// The commits of such a holder are refused once another node has had the turn.
package protocol Turns: Sendable {
  /// Waits for the turn of that path, in the order of requests. By then the node has received everything that earlier
  /// holders announced.
  ///
  /// One task of a node at a time asks for a path; see ``NodeTurns``. A task that is cancelled keeps its place.
  ///
  /// - Throws: ``StoreError/unavailable(_:)`` if the turn cannot be had.
  func take(_ path: StorePath) async throws(StoreError) -> HeldTurn

  /// Gives a turn back, without waiting. The next holder receives what this node has announced until now before it begins.
  func give(_ turn: HeldTurn)
}
