/// A set of connections' serial numbers, e.g. of one user. It nearly always has one member, which needs no table.
enum SerialSet {
  case none
  case one(UInt64)
  case several(Set<UInt64>)

  init() { self = .none }

  /// Whether there is none.
  var isEmpty: Bool {
    if case .none = self { true } else { false }
  }

  var count: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .several(let serials): serials.count
    }
  }

  /// In the order in which the connections came.
  var sorted: [UInt64] {
    switch self {
    case .none: []
    case .one(let serial): [serial]
    case .several(let serials): serials.sorted()
    }
  }

  /// True if it was not among them.
  mutating func insert(_ serial: UInt64) -> Bool {
    switch self {
    case .none:
      self = .one(serial)
      return true
    case .one(let known):
      guard known != serial else { return false }
      self = .several([known, serial])
      return true
    case .several(var serials):
      // The set is changed where it is.
      self = .none
      let isNew = serials.insert(serial).inserted
      self = .several(serials)
      return isNew
    }
  }

  mutating func remove(_ serial: UInt64) {
    switch self {
    case .none: return
    case .one(let known):
      if known == serial { self = .none }
    case .several(var serials):
      self = .none
      serials.remove(serial)
      if serials.count > 1 { self = .several(serials) } else if let last = serials.first { self = .one(last) }
    }
  }
}
