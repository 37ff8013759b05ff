package import GatewayCore

/// The waiter for a deadline: a connection whose session waits 60 s for another token, for instance.
package protocol WakeupTarget: AnyObject {
  /// The deadline has passed. Called on the loop.
  func wakeUp()
}

/// One place in a loop's heap: each waiter keeps one for life and moves it; a connection at every accepted token, for
/// instance.
///
/// `@unchecked Sendable`: touched only on the loop whose heap it is set in.
package final class Wakeup: @unchecked Sendable {
  @exclusivity(unchecked) fileprivate var position = -1
  fileprivate unowned let target: any WakeupTarget

  /// A wake-up for `target`, which must outlive every deadline it sets.
  package init(target: any WakeupTarget) {
    self.target = target
  }

  /// Whether it waits in a heap.
  package var isSet: Bool { position >= 0 }

  func fire() {
    target.wakeUp()
  }
}

/// All deadlines of one loop, those of 100,000 sessions for instance: a four-ary heap, so that a move costs few cache
/// lines. Equal deadlines fire in the order in which they were set, which is what makes a simulated run repeatable.
package final class DeadlineHeap {
  private struct Entry {
    var at: Instant
    var order: UInt64
    /// Retained once while it is in the heap, not once for each place it moves through.
    var wakeup: Unmanaged<Wakeup>

    func isBefore(_ other: Entry) -> Bool {
      at == other.at ? order < other.order : at < other.at
    }
  }

  // No call out of the heap is made while it changes: the runtime need not watch who else does.
  @exclusivity(unchecked) private var entries: [Entry] = []
  @exclusivity(unchecked) private var nextOrder: UInt64 = 0

  package init() {}

  deinit {
    for entry in entries { entry.wakeup.release() }
  }

  /// How many wait.
  package var count: Int { entries.count }

  /// The earliest deadline, nil if nothing waits.
  package var earliest: Instant? { entries.first?.at }

  /// When `wakeup` is due; `Instant.distantFuture` while it does not wait here.
  package func deadline(of wakeup: Wakeup) -> Instant {
    wakeup.isSet ? entries[wakeup.position].at : .distantFuture
  }

  /// Sets or moves `wakeup` to `deadline`; nil takes it out.
  package func set(_ wakeup: Wakeup, at deadline: Instant?) {
    guard let deadline, deadline != .distantFuture else { return remove(wakeup) }
    if wakeup.isSet && entries[wakeup.position].at == deadline { return }
    nextOrder += 1
    let entry = Entry(at: deadline, order: nextOrder, wakeup: .passUnretained(wakeup))
    if wakeup.isSet {
      let position = wakeup.position
      if entry.isBefore(entries[position]) {
        siftUp(entry, from: position)
      } else {
        siftDown(entry, from: position)
      }
    } else {
      _ = entry.wakeup.retain()
      entries.append(entry)
      siftUp(entry, from: entries.count - 1)
    }
  }

  /// Takes `wakeup` out; nothing happens if it is in no heap.
  package func remove(_ wakeup: Wakeup) {
    guard wakeup.isSet else { return }
    let position = wakeup.position
    wakeup.position = -1
    defer { Unmanaged.passUnretained(wakeup).release() }
    let last = entries.removeLast()
    guard position < entries.count else { return }
    if position > 0 && last.isBefore(entries[(position - 1) / 4]) {
      siftUp(last, from: position)
    } else {
      siftDown(last, from: position)
    }
  }

  /// Takes out the earliest, if its deadline is not after `now`.
  package func popDue(at now: Instant) -> Wakeup? {
    guard let first = entries.first, first.at <= now else { return nil }
    let wakeup = first.wakeup.takeUnretainedValue()
    remove(wakeup)
    return wakeup
  }

  /// All who wait, earliest first, and for when.
  func waiting() -> [(target: any WakeupTarget, at: Instant)] {
    entries.sorted { $0.isBefore($1) }.map { ($0.wakeup.takeUnretainedValue().target, $0.at) }
  }

  /// Takes out all whose target is meant, earliest first, and fires them as if they were due.
  func wakeAll(where isMeant: (any WakeupTarget) -> Bool) {
    let meant = entries.sorted { $0.isBefore($1) }.map { $0.wakeup.takeUnretainedValue() }
    for wakeup in meant where isMeant(wakeup.target) {
      remove(wakeup)
      wakeup.fire()
    }
  }

  private func siftUp(_ entry: Entry, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 4
      guard entry.isBefore(entries[parent]) else { break }
      place(entries[parent], at: position)
      position = parent
    }
    place(entry, at: position)
  }

  private func siftDown(_ entry: Entry, from start: Int) {
    var position = start
    while true {
      let first = 4 * position + 1
      guard first < entries.count else { break }
      var smallest = first
      for child in first + 1..<max(first + 1, min(first + 4, entries.count))
      where entries[child].isBefore(entries[smallest]) {
        smallest = child
      }
      guard entries[smallest].isBefore(entry) else { break }
      place(entries[smallest], at: position)
      position = smallest
    }
    place(entry, at: position)
  }

  private func place(_ entry: Entry, at position: Int) {
    entries[position] = entry
    entry.wakeup._withUnsafeGuaranteedRef { $0.position = position }
  }
}
