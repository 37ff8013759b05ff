internal import Synchronization

/// The lines of those who want to change the same rows of a store: one behind the other, as at a counter. Whoever stands
/// at the head of the line of a row may change it; the next begins when that one has the answer.
package final class StoreLines: Sendable {
  /// A row that somebody is changing, and who waits behind.
  private let lines = Mutex<[StorePath: [CheckedContinuation<Void, Never>]]>([:])
  /// How many lines there are: nearly always none, and then nobody has to ask further.
  private let count = Atomic<Int>(0)

  package init() {}

  /// Whether somebody is changing one of these rows out of a line.
  func areTaken(_ paths: @autoclosure () -> [StorePath]) -> Bool {
    guard count.load(ordering: .relaxed) > 0 else { return false }
    let paths = paths()
    return lines.withLock { lines in paths.contains { lines[$0] != nil } }
  }

  /// Waits until the caller is at the head of the line of every one of these rows. They are in order and each is there
  /// once, so that no two ever wait for each other.
  func join(_ paths: [StorePath]) async {
    for path in paths {
      await withCheckedContinuation { continuation in
        let isFirst = lines.withLock { lines in
          guard lines[path] != nil else {
            lines[path] = []
            count.wrappingAdd(1, ordering: .relaxed)
            return true
          }
          lines[path]?.append(continuation)
          return false
        }
        if isFirst { continuation.resume() }
      }
    }
  }

  /// Lets the next come.
  func leave(_ paths: [StorePath]) {
    for path in paths {
      let next = lines.withLock { lines in
        guard let waiting = lines[path], !waiting.isEmpty else {
          lines[path] = nil
          count.wrappingSubtract(1, ordering: .relaxed)
          return nil as CheckedContinuation<Void, Never>?
        }
        return lines[path]?.removeFirst()
      }
      next?.resume()
    }
  }
}
