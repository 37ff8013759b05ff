internal import Synchronization

/// The row of a turn. Its version is the turn's fencing number; the row exists as long as the turn is held.
package struct TurnRow: StoreValue {
  package init() {}
}

/// A turn that a task of this node has taken.
package final class HeldTurn: Sendable {
  /// The table of the rows of turns.
  package static let table = "gateway.turn"

  /// The turn in which the task is. A task that it starts is in it, too, until the turn is given back.
  @TaskLocal private static var ofTask: HeldTurn?

  private enum Phase: UInt8, AtomicRepresentable {
    case held
    /// Another node has it, or had it since.
    case lost
    case over
  }

  package let path: StorePath
  /// The fencing number: the version of the turn's row.
  package let number: StoreVersion
  private let phase = Atomic(Phase.held)

  /// Creates a turn that was granted.
  package init(_ path: StorePath, _ number: StoreVersion) {
    (self.path, self.number) = (path, number)
  }

  /// The turn whose number the task's commits must prove; nil for none.
  static var current: HeldTurn? {
    ofTask.flatMap { $0.phase.load(ordering: .relaxed) == .over ? nil : $0 }
  }

  /// Runs `body` in the turn: its commits are refused once another node has had the turn.
  package static func with<Answer, Failure: Error>(
    _ turn: HeldTurn?, _ body: () async throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    guard let turn else { return try await body() }
    let outcome = await $ofTask.withValue(turn) { () async -> Result<Answer, Failure> in
      do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
    return try outcome.get()
  }

  package var isLost: Bool { phase.load(ordering: .relaxed) == .lost }

  /// Takes note that another node has, or had, the turn.
  package func lose() {
    _ = phase.compareExchange(expected: .held, desired: .lost, ordering: .relaxed)
  }

  /// Takes note that the turn is given back. Commits do not depend on it any more.
  func end() { phase.store(.over, ordering: .relaxed) }

  var key: StoreKey { StoreKey(path: path, type: TurnRow.self) }
}
