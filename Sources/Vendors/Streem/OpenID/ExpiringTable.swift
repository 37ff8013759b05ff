internal import GatewayCore

/// A dictionary with room for so many entries of so many bytes together, each of which is gone at its time.
struct ExpiringTable<Key: Hashable, Value> {
  private struct Entry {
    var value: Value
    let bytes: Int
    let expiresAt: WallTime
  }

  private let max: Int
  private let bytesMax: Int
  private var entries: [Key: Entry] = [:]
  private var bytes = 0
  /// Nothing is gone before this: until then looking for what is gone is in vain.
  private var earliestEnd = WallTime(nanoseconds: .max)

  init(max: Int, bytesMax: Int = .max) {
    self.max = max
    self.bytesMax = bytesMax
  }

  /// Whether one more of that size would be kept; forgets what has expired if it has to.
  mutating func hasRoom(for bytes: Int = 0, at now: WallTime) -> Bool {
    if !fits(bytes), earliestEnd <= now {
      entries = entries.filter { now < $0.value.expiresAt }
      self.bytes = entries.values.reduce(0) { $0 + $1.bytes }
      earliestEnd = entries.values.lazy.map(\.expiresAt).min() ?? WallTime(nanoseconds: .max)
    }
    return fits(bytes)
  }

  private func fits(_ bytes: Int) -> Bool {
    entries.count < max && bytes <= bytesMax - self.bytes
  }

  mutating func insert(_ value: Value, for key: Key, bytes: Int = 0, until expiresAt: WallTime) {
    remove(key)
    entries[key] = Entry(value: value, bytes: bytes, expiresAt: expiresAt)
    self.bytes += bytes
    earliestEnd = min(earliestEnd, expiresAt)
  }

  func value(_ key: Key, at now: WallTime) -> Value? {
    guard let entry = entries[key], now < entry.expiresAt else { return nil }
    return entry.value
  }

  /// Takes the entry away, and returns what it was, whether its time is over or not.
  @discardableResult
  mutating func remove(_ key: Key) -> Value? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    bytes -= entry.bytes
    return entry.value
  }
}
