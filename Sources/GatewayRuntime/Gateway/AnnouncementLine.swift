internal import GatewayCore
internal import Synchronization

/// The one order in which all loops of a gateway receive announcements.
///
/// Each loop has a box of what it has not delivered yet. A lock is held for the length of an append to all boxes.
final class AnnouncementLine: Sendable {
  private let boxes: Mutex<[[Announcement]]>

  init(loops: Int) {
    boxes = Mutex([[Announcement]](repeating: [], count: loops))
  }

  /// Puts it into every loop's box. Returns the loops whose box was empty, which must be woken.
  func add(_ announcement: Announcement) -> [Int] {
    boxes.withLock { boxes in
      var idle: [Int] = []
      for index in boxes.indices {
        if boxes[index].isEmpty { idle.append(index) }
        boxes[index].append(announcement)
      }
      return idle
    }
  }

  /// Returns all that the loop of that number has not received yet, in order.
  func take(_ index: Int) -> [Announcement] {
    boxes.withLock { boxes in
      var announcements: [Announcement] = []
      swap(&announcements, &boxes[index])
      return announcements
    }
  }
}
