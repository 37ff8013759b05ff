/// A fault of the store that the directories are written on: nothing reaches it for 10 s, for instance.
package protocol StoreFault: Fault {
  var fate: StoreFate { get }
}

extension StoreFault {
  package static var isOfAll: Bool { true }
}

/// A store's wrongdoing with what it is asked: it writes, and its answer is lost, for instance.
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
