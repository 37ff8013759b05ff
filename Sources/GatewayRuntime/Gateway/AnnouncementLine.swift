internal import Synchronization

/// The one order in which all loops of a gateway hear what is said to many: two messages to a channel, sent on different
/// loops, say. Each loop has a box of what it has not heard yet; a lock is held for the length of an append to all.
final class AnnouncementLine: Sendable {
  /// What a loop does to be told something.
  typealias Words = @Sendable (LoopTable) -> Void

  private let boxes: Mutex<[[Words]]>

  init(loops: Int) {
    boxes = Mutex([[Words]](repeating: [], count: loops))
  }

  /// Puts `words` into every box. Returns the loops whose box was empty, which must be made to look.
  func add(_ words: @escaping Words) -> [Int] {
    boxes.withLock { boxes in
      var idle: [Int] = []
      for index in boxes.indices {
        if boxes[index].isEmpty { idle.append(index) }
        boxes[index].append(words)
      }
      return idle
    }
  }

  /// All that the loop of that number has not heard yet, in order.
  func take(_ index: Int) -> [Words] {
    boxes.withLock { boxes in
      var words: [Words] = []
      swap(&words, &boxes[index])
      return words
    }
  }
}
