/// The clients that were in trouble with a further refresh when all others had been refreshed often enough.
///
/// A storm waits for these, because they may still be lost, but not for a refresh that begins later. With short tokens
/// and a slow provider, some client is always in trouble.
package struct Stragglers {
  private var refreshes: [Int: Int]?

  package init() {}

  /// Returns whether none is left. The first call notes them.
  ///
  /// - Parameters:
  ///   - count: The number of clients.
  ///   - waves: The number of refreshes that each client needs.
  ///   - awaitsAll: Whether the storm also waits for clients at a refresh beyond these waves.
  ///   - session: Returns client number `index`, counted from 0; nil for one that no storm waits for.
  package mutating func areGone(
    of count: Int, waves: Int, awaitsAll: Bool, _ session: (_ index: Int) -> ClientSession?
  ) -> Bool {
    func waits(_ index: Int) -> Int? {
      guard let session = session(index) else { return nil }
      return session.isSettled(waves: waves, awaitsAll: awaitsAll) ? nil : session.refreshes
    }
    var left: [Int: Int] = [:]
    if let refreshes {
      for (index, number) in refreshes where waits(index) == number { left[index] = number }
    } else {
      for index in 0..<count { left[index] = waits(index) }
    }
    refreshes = left
    return left.isEmpty
  }
}
