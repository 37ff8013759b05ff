/// The lives of tokens by the share of clients that have them.
struct LifeEstimate {
  /// In milliseconds, ascending, with the number of clients.
  private(set) var lives: [(life: Int64, clients: Int)] = []

  /// How much longer than the shortest of its group a life may be.
  private static let shareMax: Int64 = 20
  private static let error: Int64 = 50

  /// Puts lives together that are alike. A group has its median.
  init(_ lives: [Int64]) {
    var group: [Int64] = []
    func middle() -> (life: Int64, clients: Int) { (group[(group.count - 1) / 2], group.count) }
    for life in lives.sorted() {
      if let first = group.first, life - first > first / Self.shareMax + Self.error {
        self.lives.append(middle())
        group = []
      }
      group.append(life)
    }
    if !group.isEmpty { self.lives.append(middle()) }
  }
}
