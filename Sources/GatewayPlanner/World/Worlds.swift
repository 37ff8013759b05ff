/// Worlds that run side by side on several threads. They share nothing, so the number of threads changes only the
/// duration.
package enum Worlds {
  /// Returns the results of `body` for all items, in their order.
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
