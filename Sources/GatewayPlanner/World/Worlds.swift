/// Worlds side by side, one for each seed for instance, as many at once as there are threads for: none shares anything
/// with another, so the number changes nothing but the time it takes.
package enum Worlds {
  /// What `body` makes of each of the items, in their order.
  package static func run<Item: Sendable, Answer: Sendable>(
    _ items: [Item], threads: Int, _ body: @escaping @Sendable (Item) throws -> Answer
  ) async throws -> [Answer] {
    let lanes = max(1, min(threads, items.count))
    var answers: [Answer?] = Array(repeating: nil, count: items.count)
    try await withThrowingTaskGroup(of: [(Int, Answer)].self) { group in
      for lane in 0..<lanes {
        group.addTask {
          try stride(from: lane, to: items.count, by: lanes).map { ($0, try body(items[$0])) }
        }
      }
      for try await part in group {
        for (index, answer) in part { answers[index] = answer }
      }
    }
    return answers.compactMap { $0 }
  }
}
