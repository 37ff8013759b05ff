internal import CRuntime
package import GatewayCore

/// A waiter for a deadline, e.g. a connection whose session waits for another token.
package protocol WakeupTarget: AnyObject {
  /// The deadline has passed. Called on the loop.
  func wakeUp()
}

/// One entry in a loop's heap of deadlines. Each waiter keeps one for life, and sets it.
///
/// `@unchecked Sendable`: touched only on the loop in whose heap it is set.
package final class Wakeup: @unchecked Sendable {
  /// Its position in the heap, which alone interprets it.
  @exclusivity(unchecked) fileprivate var position = Wakeup.nowhere
  fileprivate static let nowhere = -1
  fileprivate unowned let target: any WakeupTarget

  /// A wake-up for `target`, which must outlive every deadline it sets.
  package init(target: any WakeupTarget) {
    self.target = target
  }

  /// Whether it waits in a heap.
  package var isSet: Bool { position != Self.nowhere }

  func fire() {
    target.wakeUp()
  }
}

/// All deadlines of one loop, in a four-ary heap, so that a move costs few cache lines.
///
/// Equal deadlines fire in the order in which they were set, so a simulated run is repeatable.
///
/// When many deadlines fall due at once, as in a storm, they are taken out and sorted together. Removing the first
/// entry of a heap moves a handful of others, each in another place of memory.
package final class DeadlineHeap {
  private struct Entry {
    var at: Instant
    var order: UInt64
    /// The wake-up, retained once while it waits, not once for each position it moves through. Nil for an entry that was
    /// taken out of the due ones.
    var wakeup: Unmanaged<Wakeup>?

    func isBefore(_ other: Entry) -> Bool {
      at == other.at ? order < other.order : at < other.at
    }
  }

  /// After how many that were taken out one by one the heap is searched for a crowd.
  private static let crowd = 64
  /// How many entries ahead of the current one are prefetched into the processor's cache.
  private static let ahead = 4

  // No call out of the heap is made while it changes: the runtime need not watch who else does.
  @exclusivity(unchecked) private var entries: [Entry] = []
  @exclusivity(unchecked) private var nextOrder: UInt64 = 0
  /// The entries that were due together, in the order in which they fire. The ``Wakeup/position`` of the entry at
  /// `index` is `-2 - index`. The entry at `nextDue` is the next one, if there is one.
  @exclusivity(unchecked) private var due: [Entry] = []
  @exclusivity(unchecked) private var nextDue = 0
  /// How many of them wait.
  @exclusivity(unchecked) private var dueCount = 0
  /// How many more are taken out one by one before the heap is searched.
  @exclusivity(unchecked) private var untilSearch = DeadlineHeap.crowd

  package init() {}

  deinit {
    for entry in entries { entry.wakeup?.release() }
    for entry in due { entry.wakeup?.release() }
  }

  /// How many wait.
  package var count: Int { entries.count + dueCount }

  /// The earliest deadline, nil if nothing waits.
  package var earliest: Instant? {
    guard dueCount > 0 else { return entries.first?.at }
    return entries.first.map { min($0.at, due[nextDue].at) } ?? due[nextDue].at
  }

  /// Returns the deadline of `wakeup`; `Instant.distantFuture` if it is not in the heap.
  package func deadline(of wakeup: Wakeup) -> Instant {
    let position = wakeup.position
    if position >= 0 { return entries[position].at }
    return position == Wakeup.nowhere ? .distantFuture : due[Self.index(position)].at
  }

  /// Sets or moves `wakeup` to `deadline`; nil takes it out.
  package func set(_ wakeup: Wakeup, at deadline: Instant?) {
    guard let deadline, deadline != .distantFuture else { return remove(wakeup) }
    let position = wakeup.position
    if position < Wakeup.nowhere {
      guard due[Self.index(position)].at != deadline else { return }
      // It waits with the others from now on, and an earlier one goes first.
      forgetDue(at: Self.index(position))
    } else if position >= 0 {
      let old = entries[position]
      guard old.at != deadline else { return }
      nextOrder += 1
      let entry = Entry(at: deadline, order: nextOrder, wakeup: old.wakeup)
      if entry.isBefore(old) { siftUp(entry, from: position) } else { siftDown(entry, from: position) }
      return
    } else {
      _ = Unmanaged.passUnretained(wakeup).retain()
    }
    nextOrder += 1
    let entry = Entry(at: deadline, order: nextOrder, wakeup: .passUnretained(wakeup))
    entries.append(entry)
    siftUp(entry, from: entries.count - 1)
  }

  /// Takes `wakeup` out; nothing happens if it is in no heap.
  package func remove(_ wakeup: Wakeup) {
    guard wakeup.isSet else { return }
    let position = wakeup.position
    wakeup.position = Wakeup.nowhere
    defer { Unmanaged.passUnretained(wakeup).release() }
    guard position >= 0 else { return forgetDue(at: Self.index(position)) }
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
    guard let wakeup = firstDue(at: now) else { return nil }
    remove(wakeup)
    return wakeup
  }

  private func firstDue(at now: Instant) -> Wakeup? {
    // A deadline that is set while a crowd is being woken may be earlier than the rest of it.
    if dueCount > 0, entries.first?.isBefore(due[nextDue]) != true {
      guard due[nextDue].at <= now else { return nil }
      let soon = min(nextDue + Self.ahead, due.count - 1)
      if let wakeup = due[soon].wakeup { postern_prefetch_for_writing(wakeup.toOpaque()) }
      return due[nextDue].wakeup?.takeUnretainedValue()
    }
    guard let first = entries.first, first.at <= now else {
      untilSearch = Self.crowd
      return nil
    }
    if dueCount == 0 {
      untilSearch -= 1
      if untilSearch < 0 {
        untilSearch = max(Self.crowd, entries.count / 8)
        if takeCrowd(at: now) { return due[0].wakeup?.takeUnretainedValue() }
      }
    }
    return first.wakeup?.takeUnretainedValue()
  }

  /// Takes all due entries out of the heap if they are many; returns false if not.
  private func takeCrowd(at now: Instant) -> Bool {
    let crowd = entries.count { $0.at <= now }
    guard crowd >= max(Self.crowd, entries.count / 8) else { return false }
    due = entries.filter { $0.at <= now }
    due.sort { $0.isBefore($1) }
    for (index, entry) in due.enumerated() { place(entry.wakeup, at: -2 - index) }
    (nextDue, dueCount) = (0, crowd)
    entries.removeAll { $0.at <= now }
    for (index, entry) in entries.enumerated() { place(entry.wakeup, at: index) }
    for parent in stride(from: (entries.count - 2) / 4, through: 0, by: -1) where entries.count > 1 {
      siftDown(entries[parent], from: parent)
    }
    return true
  }

  private static func index(_ position: Int) -> Int { -2 - position }

  /// Removes the due entry at `index`.
  private func forgetDue(at index: Int) {
    due[index].wakeup = nil
    dueCount -= 1
    guard dueCount > 0 else {
      (due, nextDue) = ([], 0)
      return
    }
    while due[nextDue].wakeup == nil { nextDue += 1 }
  }

  private var inOrder: [Entry] {
    (entries + due.filter { $0.wakeup != nil }).sorted { $0.isBefore($1) }
  }

  /// All who wait, earliest first, and for when.
  func waiting() -> [(target: any WakeupTarget, at: Instant)] {
    inOrder.compactMap { entry in entry.wakeup.map { ($0.takeUnretainedValue().target, entry.at) } }
  }

  /// Takes out all entries whose target satisfies `isMeant`, earliest first, and fires them as if they were due.
  func wakeAll(where isMeant: (any WakeupTarget) -> Bool) {
    let meant = inOrder.compactMap { $0.wakeup?.takeUnretainedValue() }
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
    place(entry.wakeup, at: position)
  }

  private func place(_ wakeup: Unmanaged<Wakeup>?, at position: Int) {
    wakeup?._withUnsafeGuaranteedRef { $0.position = position }
  }
}
