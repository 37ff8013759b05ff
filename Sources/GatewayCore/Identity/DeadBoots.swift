/// The lives of gateway processes that are over, and that may have left something in a store.
package struct DeadBoots: Sendable {
  /// By node, the first boot that has not ended; nil if all have.
  private let ends: [Int: NodeBoot]?
  /// Whether no other process has the store, so that what names no life was left behind too.
  package let isEverybody: Bool

  /// Every life: no other process has the store, and this one has done nothing yet.
  package static let everybody = DeadBoots()

  private init() {
    (ends, isEverybody) = (nil, true)
  }

  /// The lives of each node before the one that is given for it.
  ///
  /// - Parameters:
  ///   - ends: The given lives.
  ///   - isEverybody: Whether no other process has the store.
  package init(before ends: [NodeBoot], isEverybody: Bool = false) {
    self.ends = Dictionary(ends.map { ($0.node, $0) }, uniquingKeysWith: { one, _ in one })
    self.isEverybody = isEverybody
  }

  /// Whether it has no life.
  package var isEmpty: Bool { ends?.isEmpty ?? false }

  package func contains(_ life: NodeBoot) -> Bool {
    guard let ends else { return true }
    return ends[life.node].map(life.isBefore) ?? false
  }

  /// Returns whether the connection was one of such a life; for nil, whether something without a connection was left.
  package func contains(_ connection: ConnectionID?) -> Bool {
    connection.map { contains($0.life) } ?? isEverybody
  }
}
