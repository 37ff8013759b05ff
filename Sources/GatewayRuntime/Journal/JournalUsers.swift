internal import GatewayCore

/// The numbers of the users that the journal's records name. A user is forgotten when they have no connection and no record
/// in the ring names them.
struct JournalUsers {
  private struct Known {
    let user: UserID
    /// How many connections may yet write of the user.
    var holders: Int
    /// The newest record that may name the user, where nobody holds it.
    var lastRecord: UInt64
  }

  private static let sweepMin = 1_024

  private var numbers: [UserID: UInt32] = [:]
  private var known: [UInt32: Known] = [:]
  private var lastNumber: UInt32 = 0
  /// The count at which users that may be forgotten are looked for again.
  private var sweepAt = sweepMin

  /// How many are known.
  var count: Int { numbers.count }

  /// The number of a user, nil if no record in the ring can name them.
  func number(of user: UserID) -> UInt32? { numbers[user] }

  subscript(number: UInt32) -> UserID? { known[number]?.user }

  /// Returns the number of the user of the next record. `holders` more connections may write about the user until they
  /// release the number. `first` is the oldest record of the ring.
  mutating func take(_ user: UserID, holders: Int, next: UInt64, first: UInt64) -> UInt32 {
    if let number = numbers[user] {
      known[number]?.holders += holders
      known[number]?.lastRecord = next
      return number
    }
    if numbers.count >= sweepAt { sweep(before: first) }
    lastNumber &+= 1
    if lastNumber == 0 { lastNumber = 1 }
    numbers[user] = lastNumber
    known[lastNumber] = Known(user: user, holders: holders, lastRecord: next)
    return lastNumber
  }

  /// One connection writes no more of the user.
  mutating func release(_ number: UInt32, last: UInt64) {
    known[number]?.holders -= 1
    known[number]?.lastRecord = last
  }

  private mutating func sweep(before first: UInt64) {
    for (number, entry) in known where entry.holders == 0 && entry.lastRecord < first {
      known[number] = nil
      numbers[entry.user] = nil
    }
    sweepAt = max(Self.sweepMin, numbers.count * 2)
  }
}
