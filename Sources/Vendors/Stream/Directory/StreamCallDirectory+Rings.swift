internal import GatewayCore
internal import GatewayKit

// Open rings: rows in the order in which they end.

extension StreamCallDirectory {
  private static let rings = StoreTable<StreamRing>("stream.ring")

  /// Returns the rings that end first, at most `limit`.
  func firstRings(_ limit: Int, at now: WallTime) async throws(GatewayError) -> [StreamRing] {
    do throws(StoreError) {
      var rings: [StreamRing] = []
      for entry in try await store.scan(Self.rings.range(), limit: limit, at: now) {
        rings.append(try entry.value(as: StreamRing.self))
      }
      return rings
    } catch {
      throw GatewayError(error)
    }
  }

  /// Ends the ring, and applies `change` to its call. Returns nil if another process has ended it or the call is gone.
  func endRing(
    _ ring: StreamRing, at now: WallTime, _ change: (inout StreamCall) -> Void
  ) async throws(GatewayError) -> StreamCallChange? {
    try await changing(ring.call, at: now) { (transaction, known) throws(StoreOr<GatewayError>) in
      let key = Self.key(ring)
      guard try await transaction.get(key, as: StreamRing.self) != nil else { return nil }
      transaction.delete(key)
      guard let before = known else { return nil }
      var after = before
      change(&after)
      if after != before { try put(after, over: before, in: &transaction) }
      return StreamCallChange(before: before, after: after)
    }
  }

  /// Stores the ring until it is answered or ends.
  func wait(for ring: StreamRing, in transaction: inout Transaction) async throws(StoreOr<GatewayError>) {
    let key = Self.key(ring)
    var ring = ring
    if let other = try await transaction.get(key, as: StreamRing.self) { ring.users.formUnion(other.users) }
    transaction.put(key, ring, in: [ringCount])
  }

  private static func key(_ ring: StreamRing) -> StoreKey {
    rings.key(ring.endsAt.inOrder, ring.call.cid, ring.session)
  }

  var ringCount: StoreCount { StoreCount("stream.rings", atMost: limits.rings, of: "rings") }
}
