internal import GatewayCore
internal import Synchronization

/// The nodes of a gateway, seen from one of them: the requests to the others, and which of them still owe an answer.
final class NodeLink: Sendable {
  /// The answers to a question.
  struct Replies: Sendable {
    var answers: [NodeBoot: BusAnswer] = [:]
    /// The nodes that did not answer in time, or could not do it.
    var missing: Set<NodeBoot> = []

    /// The sum of all numbers.
    var sum: Int {
      answers.values.reduce(0) { sum, answer in
        if case .count(let count) = answer { sum + count } else { sum }
      }
    }

    /// All users, some perhaps several times.
    var users: [UserID] {
      answers.values.flatMap { answer -> [UserID] in
        if case .users(let users) = answer { users } else { [] }
      }
    }
  }

  /// A question that has not all answers.
  private struct Pending {
    var waitsFor: Set<NodeBoot>
    /// How many sweeps it has left.
    var sweeps = NodeLink.sweepsMax
    var replies = Replies()
    let continuation: CheckedContinuation<Replies, Never>

    func end() {
      var replies = replies
      replies.missing.formUnion(waitsFor)
      continuation.resume(returning: replies)
    }
  }

  private struct State {
    var count: UInt64 = 0
    var pending: [UInt64: Pending] = [:]
    var isSweeping = false
    /// The nodes that did not answer the last time. Only orders wait for them, until they answer again.
    var silent: Set<NodeBoot> = []
    var control: Control?
  }

  /// Answers a request to the control port that another node has passed on, on the first loop; nil if it cannot.
  package typealias Control = @Sendable (NodeRequest) async -> NodeResponse?

  /// A node has two seconds for its answer.
  private static let sweepsMax = 8
  private static let sweepInterval = Duration.milliseconds(250)

  let bus: any Bus
  let life: NodeBoot
  /// Takes the notes of the vendors of other nodes.
  let heard: @Sendable (VendorNote) -> Void
  /// Takes note that messages may have been missed.
  let missed: @Sendable () -> Void
  private let loop: EventLoop
  private let names: @Sendable () -> [NodeBoot: String]
  private let state = Mutex(State())

  init(
    _ bus: any Bus, life: NodeBoot, on loop: EventLoop, names: @escaping @Sendable () -> [NodeBoot: String],
    heard: @escaping @Sendable (VendorNote) -> Void, missed: @escaping @Sendable () -> Void
  ) {
    (self.bus, self.life, self.loop, self.names) = (bus, life, loop, names)
    (self.heard, self.missed) = (heard, missed)
  }

  /// The site that answers requests of other nodes; nil before there is a control port.
  var control: Control? {
    get { state.withLock { $0.control } }
    set { state.withLock { $0.control = newValue } }
  }

  /// The names of all nodes, by their lives.
  var known: [NodeBoot: String] { names() }

  /// The names of these nodes, in order.
  func names(of lives: Set<NodeBoot>) -> [String] {
    let known = names()
    return lives.map { known[$0] ?? $0.description }.sorted { Name($0) < Name($1) }
  }

  /// Asks every other node, or the one that alone can answer. Waits for their answers, at most two seconds.
  ///
  /// - Parameters:
  ///   - question: The question or the order.
  ///   - alsoHere: Whether it is an order, which this node carries out too, when the others do.
  ///   - isOrder: Whether nodes that did not answer the last time are waited for, too.
  func ask(_ question: BusQuestion, alsoHere: Bool = false, isOrder: Bool = false) async -> Replies {
    var asked = Set(names().keys)
    if let owner = question.owner { asked.formIntersection([owner]) }
    if alsoHere { asked.insert(life) } else { asked.remove(life) }
    guard !asked.isEmpty else { return Replies() }
    guard !bus.isAway else { return Replies(missing: asked) }
    let awaited = asked.subtracting(alsoHere || isOrder ? [] : state.withLock { $0.silent })
    guard !awaited.isEmpty else {
      // A silent node that answers is no longer silent. No request has this number.
      bus.send(.question(0, question))
      return Replies(missing: asked)
    }
    return await withCheckedContinuation { continuation in
      let number = state.withLock { state in
        state.count &+= 1
        state.pending[state.count] = Pending(waitsFor: awaited, continuation: continuation)
        return state.count
      }
      bus.send(.question(number, question))
      sweep()
    }
  }

  /// Whether this node's answer to its own question is waited for.
  func wantsOwn(_ number: UInt64) -> Bool {
    state.withLock { $0.pending[number]?.waitsFor.contains(life) ?? false }
  }

  /// Takes a node's answer to a question of this one. An answer that is not waited for is dropped.
  func take(_ answer: BusAnswer, from node: NodeBoot, to number: UInt64) {
    let ended = state.withLock { state -> Pending? in
      state.silent.remove(node)
      guard state.pending[number]?.waitsFor.remove(node) != nil else { return nil }
      if answer == .failed {
        state.pending[number]?.replies.missing.insert(node)
      } else {
        state.pending[number]?.replies.answers[node] = answer
      }
      guard state.pending[number]?.waitsFor.isEmpty == true else { return nil }
      return state.pending.removeValue(forKey: number)
    }
    ended?.end()
  }

  /// Ends requests whose time has passed, while there are any.
  private func sweep() {
    let begins = state.withLock { state in
      defer { state.isSweeping = true }
      return !state.isSweeping
    }
    guard begins else { return }
    LoopStage(loop: loop).start { [self] in
      while !loop.hasEnded {
        await loop.sleep(until: loop.now + Self.sweepInterval, as: "the answers of other nodes")
        let (over, isDone) = state.withLock { state in
          for number in state.pending.keys { state.pending[number]?.sweeps -= 1 }
          let over = state.pending.filter { $0.value.sweeps < 0 }
          for (number, pending) in over {
            state.pending[number] = nil
            state.silent.formUnion(pending.waitsFor)
          }
          if state.pending.isEmpty { state.isSweeping = false }
          return (over, state.pending.isEmpty)
        }
        for pending in over.values { pending.end() }
        if isDone { return }
      }
    }
  }
}
