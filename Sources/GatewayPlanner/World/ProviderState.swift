internal import GatewayCore
internal import GatewayFleet

/// The current state of a world's provider: requests being served, queued requests, and requests that are still
/// referred to.
struct ProviderState: ~Copyable {
  let model: ProviderModel
  /// The push of each kind that the planner gives the fleet; nil for none.
  private let slowing: Disturbance?
  private let losing: Disturbance?
  var chance: SeededGenerator
  /// The treatment of requests whose callers have gone.
  var abandoned: ProviderModel.Abandoned
  /// The limits on requests, with what they have counted: at most one window for each client.
  var budgets: RequestBudgets
  var requests = ChunkedPool<TokenRequest>()
  var figures = QueueFigures()
  var rotation = RotationFigures()
  private(set) var serving = 0
  /// The queued requests, from `first` on.
  private var waiting: [UInt32] = []
  private var first = 0
  private(set) var isPaused = false
  private(set) var isRefusing = false
  private var resumedAt: Int64?
  /// The refusal of all requests by a scenario; nil if there is none.
  var refusal: WorldPhase.Refusal? {
    didSet {
      guard let refusal else { return }
      latestRefusal = refusal
    }
  }
  /// The latest of those refusals.
  private(set) var latestRefusal: WorldPhase.Refusal?

  /// Creates the state of an idle provider.
  ///
  /// - Parameters:
  ///   - model: The provider's model.
  ///   - push: A push that the planner gives the fleet.
  ///   - seed: The seed of its random generator.
  init(_ model: ProviderModel, push: Disturbance? = nil, seed: UInt64) {
    slowing = push?.kind == .slow ? push : nil
    losing = push?.kind == .lost ? push : nil
    self.model = model
    abandoned = model.abandoned
    budgets = RequestBudgets(model.budgets, keysMax: .max)
    chance = SeededGenerator(seed: seed)
  }

  var queued: Int { waiting.count - first }

  // MARK: Places

  /// Reserves a place if a request may be served now; returns whether it did.
  mutating func takePlace() -> Bool {
    guard !isPaused, serving < model.places else { return false }
    serving += 1
    return true
  }

  mutating func leavePlace() { serving -= 1 }

  /// Queues a request; returns false if the queue is full.
  mutating func wait(_ place: UInt32) -> Bool {
    guard queued < model.queue else { return false }
    waiting.append(place)
    figures.note(length: queued)
    return true
  }

  /// Removes and returns the next queued request; nil if there is none.
  mutating func takeWaiting() -> UInt32? {
    guard first < waiting.count else { return nil }
    guard isInOrder else { return waiting.removeLast() }
    first += 1
    let place = waiting[first - 1]
    if first > 4096 && first * 2 > waiting.count {
      waiting.removeFirst(first)
      first = 0
    }
    return place
  }

  /// Whether the oldest request is next.
  private var isInOrder: Bool {
    switch model.order {
    case .fifo: true
    case .lifo: false
    case .adaptive: 2 * queued <= model.queue
    }
  }

  /// Returns the size of a push; nil unless it takes its effect now.
  private func size(of push: Disturbance, at now: Int64) -> Double? {
    now >= push.at.nanoseconds && now < push.end.nanoseconds ? push.size : nil
  }

  /// Returns whether the answer that is sent now is lost.
  mutating func losesAnswer(at now: Int64) -> Bool {
    guard let losing, let share = size(of: losing, at: now) else { return false }
    return chance.nextShare() < share
  }

  /// Returns whether the answer with a token that was made now is lost.
  mutating func losesReply() -> Bool {
    guard model.repliesLost > 0, chance.nextShare() < model.repliesLost else { return false }
    rotation.repliesLost += 1
    return true
  }

  /// Returns the `Retry-After` of the next refusal; nil for none.
  mutating func nextRetryAfter() -> Duration? { model.retryAfter(&chance) }

  /// Returns the time for the next token.
  mutating func duration(at now: Int64) -> Int64 {
    var share = slowing.flatMap { size(of: $0, at: now) } ?? 1
    if let warmUp = model.warmUp, let resumedAt {
      let length = Double(warmUp.length.nanoseconds)
      let grown = length > 0 ? min(1, Double(now - resumedAt) / length) : 1
      share *= warmUp.from + (1 - warmUp.from) * grown
    }
    return model.duration(share: share, &chance)
  }

  // MARK: Pauses

  mutating func pause(refuses: Bool) {
    isPaused = true
    isRefusing = refuses
  }

  mutating func resume(at now: Int64) {
    isPaused = false
    isRefusing = false
    resumedAt = now
  }

  /// Records the length of the queue and the wait of its head, four times a second.
  mutating func sample(at now: Int64) {
    let oldest = first < waiting.count ? now - requests[waiting[first]].begunAt : 0
    figures.sample(length: queued, age: oldest, atSecond: Int(now / 1_000_000_000))
  }
}
