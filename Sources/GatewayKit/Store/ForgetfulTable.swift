/// A dictionary with room for so many entries: the one put in first makes room for the next.
package struct ForgetfulTable<Key: Hashable, Value> {
  private let capacity: Int
  private var entries: [Key: Value] = [:]
  /// The keys in the order in which they came, from ``first`` on; some may be gone.
  private var order: [Key] = []
  private var first = 0

  package init(capacity: Int) {
    precondition(capacity > 0, "a table with room for nothing")
    self.capacity = capacity
  }

  package subscript(key: Key) -> Value? {
    get { entries[key] }
    set {
      if let newValue {
        if entries.updateValue(newValue, forKey: key) == nil { remember(key) }
      } else {
        entries[key] = nil
      }
    }
  }

  package subscript(key: Key, default standard: @autoclosure () -> Value) -> Value {
    get { self[key] ?? standard() }
    set { self[key] = newValue }
  }

  private mutating func remember(_ key: Key) {
    order.append(key)
    while entries.count > capacity, first < order.count {
      // The key that has just come is the last that could go.
      if order[first] != key || first == order.count - 1 { entries[order[first]] = nil }
      first += 1
    }
    if first * 2 > order.count || order.count > 2 * capacity + 16 {
      var seen: Set<Key> = []
      order = order[first...].filter { entries[$0] != nil && seen.insert($0).inserted }
      first = 0
    }
  }
}
