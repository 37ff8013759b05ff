import GatewayCore
import GatewayRuntime
import TestTraits
import Testing

/// A waiter with a name, which counts its wake-ups.
private final class Waiter: WakeupTarget {
  let name: Int
  private(set) var count = 0
  private(set) var wakeup: Wakeup!

  init(_ name: Int) {
    self.name = name
    wakeup = Wakeup(target: self)
  }

  func wakeUp() {
    count += 1
  }
}

/// A heap in its simplest form: a list of waiters that is searched from end to end.
private struct NaiveDeadlines {
  private struct Entry {
    var name: Int
    var at: Instant
    var order: Int
  }

  private var entries: [Entry] = []
  private var nextOrder = 0

  var count: Int { entries.count }
  var earliest: Instant? { entries.map(\.at).min() }

  mutating func set(_ name: Int, at deadline: Instant?) {
    // An unchanged deadline keeps its place among equal ones.
    if let deadline, entries.contains(where: { $0.name == name && $0.at == deadline }) { return }
    entries.removeAll { $0.name == name }
    guard let deadline, deadline != .distantFuture else { return }
    nextOrder += 1
    entries.append(Entry(name: name, at: deadline, order: nextOrder))
  }

  mutating func popDue(at now: Instant) -> Int? {
    let due = entries.filter { $0.at <= now }.min { ($0.at, $0.order) < ($1.at, $1.order) }
    guard let due else { return nil }
    entries.removeAll { $0.name == due.name }
    return due.name
  }

  func deadline(of name: Int) -> Instant? {
    entries.first { $0.name == name }?.at
  }
}

/// The heap and the list, each with its own waiters: every operation is done on both.
private struct BothHeaps {
  let heap = DeadlineHeap()
  private(set) var naive = NaiveDeadlines()
  let waiters: [Waiter]
  private let names: [ObjectIdentifier: Int]

  init(waiters count: Int) {
    waiters = (0..<count).map { Waiter($0) }
    names = Dictionary(uniqueKeysWithValues: waiters.map { (ObjectIdentifier($0.wakeup), $0.name) })
  }

  mutating func set(_ name: Int, at deadline: Instant?) {
    if let deadline { heap.set(waiters[name].wakeup, at: deadline) } else { heap.remove(waiters[name].wakeup) }
    naive.set(name, at: deadline)
  }

  /// Removes from both; returns whether there was one.
  mutating func popDue(at now: Instant) -> Bool {
    let expected = naive.popDue(at: now)
    #expect(heap.popDue(at: now).map { names[ObjectIdentifier($0)]! } == expected)
    return expected != nil
  }

  /// Checks that both agree about all waiters, and about that one.
  func check(_ name: Int) {
    #expect(heap.count == naive.count && heap.earliest == naive.earliest)
    #expect(waiters[name].wakeup.isSet == (naive.deadline(of: name) != nil))
    #expect(heap.deadline(of: waiters[name].wakeup) == naive.deadline(of: name) ?? .distantFuture)
  }
}

struct DeadlineHeapTests {
  @Test
  func `the earliest deadline comes out first, and only when it is due`() {
    let heap = DeadlineHeap()
    let waiters = (0..<5).map { Waiter($0) }
    for (waiter, seconds) in zip(waiters, [30, 10, 50, 20, 40]) {
      heap.set(waiter.wakeup, at: .zero + .seconds(seconds))
    }
    #expect(heap.earliest == .zero + .seconds(10))
    #expect(heap.popDue(at: .zero + .seconds(10) - .nanoseconds(1)) == nil)
    var popped: [ObjectIdentifier] = []
    while let wakeup = heap.popDue(at: .zero + .seconds(60)) { popped.append(ObjectIdentifier(wakeup)) }
    #expect(popped == [1, 3, 0, 4, 2].map { ObjectIdentifier(waiters[$0].wakeup) })
    #expect(heap.count == 0 && heap.earliest == nil)
  }

  @Test
  func `equal deadlines fire in the order in which they were set, however many there are`() {
    let heap = DeadlineHeap()
    let waiters = (0..<1_000).map { Waiter($0) }
    for waiter in waiters { heap.set(waiter.wakeup, at: .zero) }
    // Moving a deadline away and back sets it anew; setting it to its present value does nothing.
    heap.set(waiters[0].wakeup, at: .zero + .seconds(1))
    heap.set(waiters[0].wakeup, at: .zero)
    heap.set(waiters[1].wakeup, at: .zero)
    for name in Array(1..<1_000) + [0] {
      #expect(heap.popDue(at: .zero) === waiters[name].wakeup)
    }
  }

  @Test
  func `a deadline in the distant future counts as none, and setting one removes the old one`() {
    let heap = DeadlineHeap()
    let waiter = Waiter(0)
    heap.set(waiter.wakeup, at: .distantFuture)
    #expect(!waiter.wakeup.isSet && heap.count == 0)
    for none in [Instant.distantFuture, nil] {
      heap.set(waiter.wakeup, at: .zero)
      #expect(waiter.wakeup.isSet && heap.deadline(of: waiter.wakeup) == .zero)
      heap.set(waiter.wakeup, at: none)
      #expect(!waiter.wakeup.isSet && heap.deadline(of: waiter.wakeup) == .distantFuture)
    }
    heap.remove(waiter.wakeup)
    #expect(heap.popDue(at: .distantFuture) == nil)
  }

  @Test(.long, arguments: 1...20)
  func `the deadline heap behaves like a sorted list, for any order of sets, moves, removals and wake-ups`(
    seed: UInt64
  ) {
    var generator = SeededGenerator(seed: seed)
    var both = BothHeaps(waiters: 200)
    // Few different times, so that many are equal.
    let range = UInt64([5, 50, 5_000, 1_000_000][Int(seed % 4)])
    var now = Instant.zero
    for _ in 0..<2_000 {
      let name = Int.random(in: 0..<both.waiters.count, using: &generator)
      switch UInt64.random(in: 0..<10, using: &generator) {
      case 0..<6:
        let deadline = now + .nanoseconds(Int64(UInt64.random(in: 0..<range, using: &generator)) - Int64(range / 4))
        both.set(name, at: deadline)
      case 6, 7: both.set(name, at: nil)
      case 8: _ = both.popDue(at: now)
      default: now = now + .nanoseconds(Int64(UInt64.random(in: 0...range / 8, using: &generator)))
      }
      both.check(name)
    }
    while both.popDue(at: .distantFuture) {}
    #expect(both.heap.count == 0)
  }

  @Test(.long, arguments: 1...12)
  func `waiters that are due together wake in the same order, whatever is set, moved and removed in between`(
    seed: UInt64
  ) {
    var generator = SeededGenerator(seed: seed)
    var both = BothHeaps(waiters: 400)
    var (now, popped) = (Instant.zero, 0)
    for _ in 0..<3 {
      // In some crowds all are equal, and in some a part is not due yet.
      let range = [1, 300, 1_000][Int(seed % 3)]
      for name in both.waiters.indices {
        both.set(name, at: now + .nanoseconds(Int64(Int.random(in: 0..<range, using: &generator))))
      }
      now = now + .nanoseconds(600)
      while both.popDue(at: now) {
        popped += 1
        let name = Int.random(in: 0..<both.waiters.count, using: &generator)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: both.set(name, at: nil)
        case 1: both.set(name, at: now + .seconds(1))
        case 2: both.set(name, at: now - .nanoseconds(Int64(Int.random(in: 0..<900, using: &generator))))
        default: break
        }
        both.check(name)
      }
    }
    #expect(popped > 600)
  }

  @Test
  func `a waiter that is let go of in the middle of a crowd is let go of`() {
    weak var one: Wakeup?
    do {
      let heap = DeadlineHeap()
      let waiters = (0..<200).map { Waiter($0) }
      for waiter in waiters { heap.set(waiter.wakeup, at: .zero) }
      for _ in 0..<100 { _ = heap.popDue(at: .zero) }
      one = waiters[150].wakeup
    }
    #expect(one == nil)
  }
}
