internal import GatewayCore

/// A dictionary with room for so many entries, each of which is gone at its time.
struct ExpiringTable<Key: Hashable, Value> {
  private struct Entry {
    var value: Value
    let expiresAt: WallTime
  }

  private let max: Int
  private var entries: [Key: Entry] = [:]

  init(max: Int) {
    self.max = max
  }

  /// Whether one more would be kept; forgets what has expired if it has to.
  mutating func hasRoom(at now: WallTime) -> Bool {
    if entries.count >= max { entries = entries.filter { now < $0.value.expiresAt } }
    return entries.count < max
  }

  mutating func insert(_ value: Value, for key: Key, until expiresAt: WallTime) {
    entries[key] = Entry(value: value, expiresAt: expiresAt)
  }

  func value(_ key: Key, at now: WallTime) -> Value? {
    guard let entry = entries[key], now < entry.expiresAt else { return nil }
    return entry.value
  }

  /// Puts `value` in the place of the one that is there; its time stays.
  mutating func replace(_ key: Key, _ value: Value) {
    entries[key]?.value = value
  }

  mutating func remove(_ key: Key) {
    entries[key] = nil
  }
}
