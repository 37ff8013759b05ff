internal import GatewayControl
internal import GatewayCore
internal import Synchronization

/// The signals and orders that a service has not carried out yet: reloads, and the end.
///
/// It never grows. Reloads that wait become one, and of several ends the first counts, so no crowd of signals displaces an end.
final class ServiceInbox: Sendable {
  /// The cause of a service's end.
  struct End: Sendable {
    let cause: String
    /// The window of the drain; nil for the configured one.
    var window: Duration?
    var isSignal = false
    /// Whether the cause is not an order: the other processes of the store have declared this one dead.
    var isLoss = false

    static let nodeLost = End(cause: "node_lost", window: .zero, isLoss: true)
  }

  enum Step: Sendable {
    case reload
    case reloaded(ReloadAnswer)
    case end(End)
    case drained(unanswered: Int)
    /// A second signal: the drain ends at once.
    case endAtOnce
  }

  /// The maximum number of orders that wait for one reload. Orders that the present reload answers do not count.
  static let ordersMax = 8

  private typealias Asker = CheckedContinuation<Result<ReloadAnswer, GatewayError>, Never>

  private struct State {
    /// Whether a service takes the steps.
    var isAttended = false
    var wantsReload = false
    /// The orders that the next reload answers.
    var waiting: [Asker] = []
    /// The orders that the present reload answers; nil if there is no reload.
    var underWay: [Asker]?
    var answer: ReloadAnswer?
    var end: End?
    var hasBegunToEnd = false
    var wantsEndAtOnce = false
    var unanswered: Int?
    var reader: CheckedContinuation<Step, Never>?

    /// Takes the most urgent step; nil if there is nothing to do.
    mutating func take() -> Step? {
      guard !hasBegunToEnd else {
        if wantsEndAtOnce { return .endAtOnce }
        return unanswered.map { .drained(unanswered: $0) }
      }
      if let end {
        hasBegunToEnd = true
        return .end(end)
      }
      if let answer {
        self.answer = nil
        return .reloaded(answer)
      }
      guard wantsReload, underWay == nil else { return nil }
      wantsReload = false
      underWay = waiting
      waiting = []
      return .reload
    }
  }

  private let state = Mutex(State())

  /// Returns the next step, once there is one. For the one service that takes them.
  func next() async -> Step {
    await withCheckedContinuation { reader in
      let step = state.withLock { state -> Step? in
        if let step = state.take() { return step }
        state.reader = reader
        return nil
      }
      if let step { reader.resume(returning: step) }
    }
  }

  /// Notes that a service takes the steps from now on.
  func attend() {
    change { $0.isAttended = true }
  }

  /// Wants a reload, without an answer.
  func reload() {
    change { state in
      guard !state.hasBegunToEnd else { return }
      state.wantsReload = true
    }
  }

  /// Wants a reload that begins after this call, and returns what came of it. Fails at once if ``ordersMax`` wait for it
  /// already, and when the service ends.
  func answeredReload() async -> Result<ReloadAnswer, GatewayError> {
    await withCheckedContinuation { asker in
      var refusal: GatewayError?
      change { state in
        if !state.isAttended {
          refusal = .overloaded.detailed("nothing here carries out reloads yet")
        } else if state.end != nil {
          refusal = .draining
        } else if state.waiting.count >= Self.ordersMax {
          refusal = .tooMany.detailed("\(Self.ordersMax) orders wait for a reload already; they get its answer")
        } else {
          state.waiting.append(asker)
          state.wantsReload = true
        }
      }
      if let refusal { asker.resume(returning: .failure(refusal)) }
    }
  }

  /// Notes that the present reload has ended.
  func reloaded(_ answer: ReloadAnswer) {
    change { $0.answer = answer }
  }

  /// Answers the orders of the present reload; the next may begin.
  func tell(_ answer: ReloadAnswer) {
    var told: [Asker] = []
    change { state in
      told = state.underWay ?? []
      state.underWay = nil
    }
    for asker in told { asker.resume(returning: .success(answer)) }
  }

  /// Refuses every order that has no answer, because the service ends.
  func refuseReloads() {
    var told: [Asker] = []
    change { state in
      told = (state.underWay ?? []) + state.waiting
      state.underWay = nil
      state.waiting = []
    }
    for asker in told { asker.resume(returning: .failure(.draining)) }
  }

  /// Wants the end. After the first, another signal ends the drain at once.
  func end(_ end: End) {
    change { state in
      if state.end == nil {
        state.end = end
      } else if end.isSignal {
        state.wantsEndAtOnce = true
      }
    }
  }

  /// Notes that the drain has ended.
  func drained(unanswered: Int) {
    change { $0.unanswered = unanswered }
  }

  /// Changes the state, and hands the reader its step if there is one now.
  private func change(_ body: (inout State) -> Void) {
    let taken = state.withLock { state -> (CheckedContinuation<Step, Never>, Step)? in
      body(&state)
      guard let reader = state.reader, let step = state.take() else { return nil }
      state.reader = nil
      return (reader, step)
    }
    if let (reader, step) = taken { reader.resume(returning: step) }
  }
}
