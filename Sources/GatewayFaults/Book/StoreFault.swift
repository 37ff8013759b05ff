internal import GatewayCore
internal import GatewayRuntime

/// A fault of the store of the directories, e.g. it is unreachable for 10 s.
package protocol StoreFault: Fault {
  var fate: StoreFate { get }
}

extension StoreFault {
  package static var isOfAll: Bool { true }
}

extension FaultBook {
  /// Whether a fault makes the store unreachable now. Reading this does not count as an occurrence. Only on the loop.
  package var keepsStoreAway: Bool {
    let now = loop.now
    return standing.contains { fault in
      (fault.order.fault as? any StoreFault)?.fate == .away && now >= fault.begins && !fault.isOver(at: now)
        && fault.order.times == nil
    }
  }
}

/// The fate of a store operation that a fault affects.
package enum StoreFate: Hashable, Sendable {
  /// The store is unreachable.
  case away
  /// The operation takes that long.
  case late(Duration)
  /// The write is done, but its answer is lost.
  case lostAnswer
  /// The write is not done, and the answer is lost too.
  case lostQuestion
  /// Another write was faster.
  case conflict

  /// Whether it can affect operations that only read.
  var isOfReading: Bool {
    switch self {
    case .away, .late: true
    case .lostAnswer, .lostQuestion, .conflict: false
    }
  }
}
