internal import GatewayCore
internal import GatewayFleet

/// The provider of a world as it stands: who is served, who waits, which requests somebody still knows of; ten in the
/// making and 5,000 in the queue, for instance.
struct ProviderState: ~Copyable {
  let model: ProviderModel
  let retryAfter: Duration
  var chance: SeededGenerator
  var requests = ChunkedPool<TokenRequest>()
  var figures = QueueFigures()
  private(set) var serving = 0
  /// Who waits, from `first` on.
  private var waiting: [UInt32] = []
  private var first = 0
  /// The time-outs of all requests, in order, since all wait equally long.
  private var timeOuts: [(at: Int64, place: UInt32)] = []
  private var firstTimeOut = 0
  /// When the last of them is over.
  private(set) var lastTimeOut: Int64 = 0
  /// How many there may be before those are looked for that nobody needs any more.
  private var timeOutsMax: Int
  private(set) var isPaused = false
  private(set) var isRefusing = false
  private var resumedAt: Int64?
  /// How it refuses everybody, as a scenario has it; nil if it does not.
  var refusal: WorldPhase.Refusal? {
    didSet {
      guard let refusal else { return }
      refusalRetryAfter = refusal.retryAfter
    }
  }
  /// What the latest of those refusals say of when to come back.
  private(set) var refusalRetryAfter: Duration?

  /// - Parameter clients: How many clients ask.
  init(_ model: ProviderModel, clients: Int, seed: UInt64) {
    self.model = model
    timeOutsMax = clients + Self.timeOutsSpare
    retryAfter = model.retryAfter
    chance = SeededGenerator(seed: seed)
  }

  var queued: Int { waiting.count - first }

  // MARK: Time-outs

  private static let timeOutsSpare = 1 << 16

  mutating func add(_ request: TokenRequest, timeOutAt instant: Int64) -> UInt32 {
    if timeOuts.count - firstTimeOut >= timeOutsMax { forgetAnswered() }
    let place = requests.add(request)
    timeOuts.append((instant, place))
    lastTimeOut = instant
    return place
  }

  /// Forgets the requests that were answered, and their time-outs: of clients that wait long for an answer and are refused at
  /// once, again and again, each would leave one for every try.
  private mutating func forgetAnswered() {
    var kept: [(at: Int64, place: UInt32)] = []
    for timeOut in timeOuts[firstTimeOut...] {
      if requests[timeOut.place].isAnswered { requests.remove(timeOut.place) } else { kept.append(timeOut) }
    }
    timeOuts = kept
    firstTimeOut = 0
    timeOutsMax = max(timeOutsMax, 2 * kept.count)
  }

  var nextTimeOut: Int64? { firstTimeOut < timeOuts.count ? timeOuts[firstTimeOut].at : nil }

  mutating func takeTimeOut() -> UInt32 {
    let place = timeOuts[firstTimeOut].place
    firstTimeOut += 1
    if firstTimeOut > 4096 && firstTimeOut * 2 > timeOuts.count {
      timeOuts.removeFirst(firstTimeOut)
      firstTimeOut = 0
    }
    return place
  }

  // MARK: Places

  /// Whether a request may be served now; it takes the place then.
  mutating func takePlace() -> Bool {
    guard !isPaused, serving < model.places else { return false }
    serving += 1
    return true
  }

  mutating func leavePlace() { serving -= 1 }

  /// Lets a request wait; false if the queue is full.
  mutating func wait(_ place: UInt32) -> Bool {
    guard queued < model.queue else { return false }
    waiting.append(place)
    figures.note(length: queued)
    return true
  }

  /// Who is served next, if anybody waits.
  mutating func takeWaiting() -> UInt32? {
    guard first < waiting.count else { return nil }
    guard model.order == .fifo else {
      let last = waiting.removeLast()
      return last
    }
    first += 1
    let place = waiting[first - 1]
    if first > 4096 && first * 2 > waiting.count {
      waiting.removeFirst(first)
      first = 0
    }
    return place
  }

  /// How long the next token takes.
  mutating func duration(at now: Int64) -> Int64 {
    var share = 1.0
    if let warmUp = model.warmUp, let resumedAt {
      let length = Double(warmUp.length.nanoseconds)
      let grown = length > 0 ? min(1, Double(now - resumedAt) / length) : 1
      share = warmUp.from + (1 - warmUp.from) * grown
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

  /// Notes, four times a second, how long the queue is and how long its head has waited.
  mutating func sample(at now: Int64) {
    let oldest = first < waiting.count ? now - requests[waiting[first]].begunAt : 0
    figures.sample(length: queued, age: oldest, atSecond: Int(now / 1_000_000_000))
  }
}
