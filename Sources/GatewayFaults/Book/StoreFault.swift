/// A fault of the store that the directories are written on.
package protocol StoreFault: Fault {
  var fate: StoreFate { get }
}

extension StoreFault {
  package static var isOfAll: Bool { true }
}

/// What a store does wrong with what it is asked.
package enum StoreFate: Hashable, Sendable {
  /// Nothing reaches it.
  case away
  /// It takes that long.
  case late(Duration)
  /// It writes what it is to write, and nobody learns of it.
  case lostAnswer
  /// It does not write, and nobody learns of that either.
  case lostQuestion
  /// Somebody else was faster.
  case conflict

  /// Whether it can befall whoever only reads.
  var isOfReading: Bool {
    switch self {
    case .away, .late: true
    case .lostAnswer, .lostQuestion, .conflict: false
    }
  }
}
