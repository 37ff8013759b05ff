internal import GatewayCore

/// The numbers of the users that the journal's records name. A user is forgotten when they have no connection and no record
/// in the ring names them.
///
/// One table has the users by number. Another has only numbers, by the users' hashes. That is some 45 bytes a user,
/// instead of 120 with two dictionaries.
struct JournalUsers {
  private struct Known {
    /// Nil for a number that is free.
    var user: UserID?
    /// The newest record that may name the user, if no connection has the user.
    var lastRecord: UInt64
    /// How many connections may yet write of the user.
    var holders: UInt32
  }

  private static let sweepMin = 1_024
  private static let slotsMin = 16

  /// The user of number 1 comes first.
  private var known: [Known] = []
  private var free: [UInt32] = []
  /// The numbers, each at its user's hash or at one of the next slots; 0 for none. Its size is a power of two.
  private var slots = [UInt32](repeating: 0, count: slotsMin)
  /// The count at which users that may be forgotten are looked for again.
  private var sweepAt = sweepMin

  /// How many are known.
  var count: Int { known.count - free.count }

  /// The number of a user, nil if no record in the ring can name them.
  func number(of user: UserID) -> UInt32? {
    let number = slots[slot(of: user)]
    return number == 0 ? nil : number
  }

  subscript(number: UInt32) -> UserID? {
    number > 0 && number <= known.count ? known[Int(number) - 1].user : nil
  }

  /// Returns the number of the user of the next record. `holders` more connections may write about the user until they
  /// release the number. `first` is the oldest record of the ring.
  mutating func take(_ user: UserID, holders: UInt32, next: UInt64, first: UInt64) -> UInt32 {
    if let number = number(of: user) {
      known[Int(number) - 1].holders += holders
      known[Int(number) - 1].lastRecord = next
      return number
    }
    if count >= sweepAt { sweep(before: first) }
    let entry = Known(user: user, lastRecord: next, holders: holders)
    let number: UInt32
    if let last = free.popLast() {
      number = last
      known[Int(number) - 1] = entry
    } else {
      known.append(entry)
      number = UInt32(known.count)
    }
    // A quarter of the slots stays empty.
    if count * 4 > slots.count * 3 { index(in: slots.count * 2) } else { slots[slot(of: user)] = number }
    return number
  }

  /// Notes that one connection writes no more about the user.
  mutating func release(_ number: UInt32, last: UInt64) {
    guard number > 0, number <= known.count, known[Int(number) - 1].holders > 0 else { return }
    known[Int(number) - 1].holders -= 1
    known[Int(number) - 1].lastRecord = last
  }

  /// Returns where the user's number is, or where it belongs.
  private func slot(of user: UserID) -> Int {
    var slot = user.hashValue & (slots.count - 1)
    while slots[slot] != 0, known[Int(slots[slot]) - 1].user != user { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  private mutating func index(in count: Int) {
    slots = [UInt32](repeating: 0, count: count)
    for (index, entry) in known.enumerated() {
      if let user = entry.user { slots[slot(of: user)] = UInt32(index) + 1 }
    }
  }

  private mutating func sweep(before first: UInt64) {
    for (index, entry) in known.enumerated()
    where entry.user != nil && entry.holders == 0 && entry.lastRecord < first {
      known[index].user = nil
      free.append(UInt32(index) + 1)
    }
    sweepAt = max(Self.sweepMin, count * 2)
    index(in: slots.count)
  }
}
