/// The places of clients that come and go: as many as may be present at one time. An arrival that finds none free is
/// not started, and none waits for a place.
package struct ArrivalPlaces: Hashable, Sendable {
  /// The number of the client in each place; ``nobody`` for a free one.
  private var occupants: [UInt32] = []
  private var free: [UInt32] = []
  private let most: Int

  private static let nobody = UInt32.max

  /// Creates free places.
  ///
  /// - Parameter most: The maximum number of clients at one time.
  package init(most: Int) {
    self.most = most
  }

  /// The number of clients that are there.
  package var taken: Int { occupants.count - free.count }

  /// Takes a place for a client; returns nil if there is none.
  package mutating func take(for client: Int) -> Int? {
    if let place = free.popLast() {
      occupants[Int(place)] = UInt32(truncatingIfNeeded: client)
      return Int(place)
    }
    guard occupants.count < most else { return nil }
    occupants.append(UInt32(truncatingIfNeeded: client))
    return occupants.count - 1
  }

  /// Frees a place. Returns false if the client does not have it any more.
  package mutating func leave(_ place: Int, _ client: Int) -> Bool {
    guard has(place, client) else { return false }
    occupants[place] = Self.nobody
    free.append(UInt32(truncatingIfNeeded: place))
    return true
  }

  /// Returns whether a client has that place.
  package func has(_ place: Int, _ client: Int) -> Bool {
    occupants.indices.contains(place) && occupants[place] == UInt32(truncatingIfNeeded: client)
  }

  /// Returns the number of the client at a place; nil if it is free.
  package func client(at place: Int) -> Int? {
    occupants.indices.contains(place) && occupants[place] != Self.nobody ? Int(occupants[place]) : nil
  }
}
