internal import GatewayCore

/// The pending events of a world, in order: 2^18 buckets of one millisecond, and separate lists of later events. If ten
/// million clients have tokens of one hour, nearly all events are in those lists.
///
/// Events of one bucket are sorted when its time comes, by time and then by their number.
struct EventWheel: ~Copyable {
  private static let bits: Int64 = 18
  private static let size = 1 << 18
  private static let none = UInt32.max
  /// One millisecond.
  private static let width: Int64 = 1_000_000

  private var pool = ChunkedPool<WorldEvent>()
  private var heads = [UInt32](repeating: EventWheel.none, count: EventWheel.size)
  /// A bit for each bucket, set if it is not empty.
  private var filled = [UInt64](repeating: 0, count: EventWheel.size / 64)
  /// Lists of events of later turns of the wheel, by the number of the turn.
  private var far: [Int64: UInt32] = [:]
  /// The current bucket, counted from the beginning.
  private var current: Int64 = -1
  private var turn: Int64 = 0
  /// The current bucket's events, in order, and the events added to it since.
  private var ready: [WorldEvent] = []
  private var readyIndex = 0
  private var late: [WorldEvent] = []
  private var numbers: UInt64 = 0

  /// The number of bytes of a pending event.
  static let bytesPerEvent = MemoryLayout<WorldEvent>.stride

  mutating func add(
    _ kind: WorldEvent.Kind, at time: Int64, subject: UInt32, connection: UInt16 = 0, value: Int64 = 0
  ) {
    numbers &+= 1
    let event = WorldEvent(
      kind, at: max(0, time), number: numbers, subject: subject, connection: connection, value: value)
    let bucket = event.time / Self.width
    guard bucket > current else { return addLate(event) }
    let place = pool.add(event)
    if bucket >> Self.bits == turn {
      link(place, into: Int(bucket & Int64(Self.size - 1)))
    } else {
      pool[place].next = far[bucket >> Self.bits] ?? Self.none
      far[bucket >> Self.bits] = place
    }
  }

  private mutating func link(_ place: UInt32, into bucket: Int) {
    pool[place].next = heads[bucket]
    heads[bucket] = place
    filled[bucket >> 6] |= 1 << UInt64(bucket & 63)
  }

  /// Returns the time of the next event; nil if there is none.
  mutating func nextTime() -> Int64? {
    while true {
      let first = readyIndex < ready.count ? ready[readyIndex].time : nil
      if let other = late.first?.time { return min(first ?? .max, other) }
      if let first { return first }
      guard advance() else { return nil }
    }
  }

  /// Removes and returns the next event. Only after ``nextTime()`` has found one.
  mutating func next() -> WorldEvent {
    if let first = late.first, readyIndex >= ready.count || first.isBefore(ready[readyIndex]) { return takeLate() }
    readyIndex += 1
    return ready[readyIndex - 1]
  }

  // MARK: Turning

  /// Moves on to the next bucket with events; returns false if there is none.
  private mutating func advance() -> Bool {
    ready.removeAll(keepingCapacity: ready.capacity < 1 << 16)
    readyIndex = 0
    while true {
      if let bucket = nextFilled() {
        drain(bucket)
        return true
      }
      guard let nearest = far.keys.min() else { return false }
      turn = nearest
      current = nearest << Self.bits - 1
      var place = far.removeValue(forKey: nearest) ?? Self.none
      while place != Self.none {
        let next = pool[place].next
        link(place, into: Int(pool[place].time / Self.width & Int64(Self.size - 1)))
        place = next
      }
    }
  }

  /// Returns the next bucket of this turn with events.
  private func nextFilled() -> Int? {
    let first = Int(current + 1 - turn << Self.bits)
    guard first < Self.size else { return nil }
    var word = max(0, first) >> 6
    var bits = filled[word] & (~0 << UInt64(max(0, first) & 63))
    while bits == 0 {
      word += 1
      guard word < filled.count else { return nil }
      bits = filled[word]
    }
    return word << 6 + bits.trailingZeroBitCount
  }

  private mutating func drain(_ bucket: Int) {
    current = turn << Self.bits + Int64(bucket)
    filled[bucket >> 6] &= ~(1 << UInt64(bucket & 63))
    var place = heads[bucket]
    heads[bucket] = Self.none
    while place != Self.none {
      let event = pool[place]
      ready.append(event)
      pool.remove(place)
      place = event.next
    }
    ready.sort { $0.isBefore($1) }
  }

  // MARK: The heap of events added to the current bucket

  private mutating func addLate(_ event: WorldEvent) {
    late.append(event)
    var child = late.count - 1
    while child > 0, late[child].isBefore(late[(child - 1) / 2]) {
      late.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func takeLate() -> WorldEvent {
    let first = late[0]
    let last = late.removeLast()
    guard !late.isEmpty else { return first }
    late[0] = last
    var parent = 0
    while true {
      var least = 2 * parent + 1
      guard least < late.count else { return first }
      if least + 1 < late.count, late[least + 1].isBefore(late[least]) { least += 1 }
      guard late[least].isBefore(late[parent]) else { return first }
      late.swapAt(parent, least)
      parent = least
    }
  }
}
