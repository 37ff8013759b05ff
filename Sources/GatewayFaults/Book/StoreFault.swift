internal import GatewayCore
internal import GatewayRuntime

/// A fault of the store that the directories are written on: nothing reaches it for 10 s, for instance.
package protocol StoreFault: Fault {
  var fate: StoreFate { get }
}

extension StoreFault {
  package static var isOfAll: Bool { true }
}

extension FaultBook {
  /// Whether a fault keeps the store out of reach now, without befalling anybody by the question. Only on the loop.
  package var keepsStoreAway: Bool {
    let now = loop.now
    return standing.contains { fault in
      (fault.order.fault as? any StoreFault)?.fate == .away && now >= fault.begins && !fault.isOver(at: now)
        && fault.order.times == nil
    }
  }
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
