internal import GatewayCore
package import GatewayRuntime

/// Sends the spans of all loops to a collector, from the first loop: every second, or as soon as one request is full.
///
/// One request is under way at a time. While the collector is away, the loops keep what there is room for.
///
/// `@unchecked Sendable`: touched only on the first loop, but for what is constant.
package final class SpanExporter: WakeupTarget, @unchecked Sendable {
  private let traces: [LoopTraces]
  private let resource: TraceResource
  private let poster: any SpanPoster
  private let counts: SpanCounts
  private let log: GatewayLog?
  private let loop: EventLoop
  private let stage: LoopStage
  private lazy var wakeup = Wakeup(target: self)
  private var isSending = false
  private var isEnding = false
  private var told: (at: Instant, untold: Int)?

  private static let interval = Duration.seconds(1)
  /// The pauses before a body is posted again where the collector names none: the first at most, and the longest.
  private static let pauses = (first: Duration.milliseconds(500), last: Duration.seconds(10))
  /// A body that nobody has taken for this long is given up.
  private static let patience = Duration.seconds(600)
  private static let logPause = Duration.seconds(60)

  /// Creates an exporter that sends nothing before ``begin()``.
  ///
  /// - Parameters:
  ///   - traces: The traces of each loop, the first loop's first; not empty.
  ///   - resource: The process.
  ///   - poster: Posts to the collector.
  ///   - counts: The counts of spans.
  ///   - log: The log; nil for none.
  package init(
    of traces: [LoopTraces], as resource: TraceResource, by poster: any SpanPoster, counting counts: SpanCounts,
    log: GatewayLog?
  ) {
    self.traces = traces
    self.resource = resource
    self.poster = poster
    self.counts = counts
    self.log = log
    loop = traces[0].loop
    stage = LoopStage(loop: loop)
  }

  /// Begins to send, for as long as the loops run. From any thread.
  package func begin() {
    for one in traces {
      one.loop.execute { [self] in
        one.whenMany = { [weak self] in self?.hurry() }
      }
    }
    loop.execute { [self] in loop.deadlines.set(wakeup, at: loop.now + Self.interval) }
  }

  /// Sends what waits, for at most `patience`. From any thread.
  package func finish(within patience: Duration) async {
    await stage.perform { [self] in
      isEnding = true
      let end = loop.now + patience
      send()
      while isSending, loop.now < end, !loop.hasEnded {
        await loop.sleep(until: loop.now + .milliseconds(10), as: "the last spans")
      }
      loop.deadlines.remove(wakeup)
    }
  }

  package func wakeUp() { send() }

  /// Has spans sent now. From any thread.
  private func hurry() {
    loop.execute { [self] in send() }
  }

  private func send() {
    guard !isSending, !loop.hasEnded else { return }
    isSending = true
    loop.deadlines.remove(wakeup)
    _ = stage.begin { [self] in
      var isFull = true
      while isFull, !loop.hasEnded {
        let batch = await collect()
        if !batch.isEmpty { await deliver(batch) }
        isFull = batch.count == LoopTraces.batchMax || isEnding && !batch.isEmpty
      }
      isSending = false
      if !isEnding, !loop.hasEnded { loop.deadlines.set(wakeup, at: loop.now + Self.interval) }
    }
  }

  /// Takes as many spans from the loops as one request has.
  private nonisolated(nonsending) func collect() async -> [SpanRecord] {
    var batch: [SpanRecord] = []
    for one in traces {
      let left = LoopTraces.batchMax - batch.count
      let taken = await Self.take(left, of: one)
      batch += taken.spans
      counts.count(.dropped, taken.dropped)
    }
    return batch
  }

  private static nonisolated(nonsending) func take(
    _ limit: Int, of traces: LoopTraces
  ) async -> (spans: [SpanRecord], dropped: UInt64) {
    if traces.loop.isCurrent { return traces.take(limit) }
    return await withCheckedContinuation { continuation in
      traces.loop.execute { continuation.resume(returning: traces.take(limit)) }
    }
  }

  /// Posts spans until the collector has taken or refused them, or they are given up.
  private nonisolated(nonsending) func deliver(_ batch: [SpanRecord]) async {
    let (body, count) = (OTLPTraces.body(batch, of: resource), UInt64(batch.count))
    let end = loop.now + Self.patience
    var tries = 0
    while true {
      var pause = min(Self.pauses.first * (1 << min(tries, 10)), Self.pauses.last) * (0.5 + 0.5 * loop.nextShare())
      switch await poster.post(body) {
      case .answered(let response):
        switch CollectorAnswer(response, at: loop.rightWallTime) {
        case .taken(let rejected, let words):
          let rejected = min(rejected, count)
          counts.count(.rejected, rejected)
          counts.count(.sent, count - rejected)
          if rejected > 0 { note("rejected \(rejected) of \(count): \(words)") }
          return
        case .refused:
          counts.count(.refused, count)
          return note("status \(response.status)")
        case .later(let named):
          if let named { pause = named }
          note("status \(response.status)")
        }
      case .unanswered(let reason):
        counts.count(.failed, count)
        return note(reason)
      case .undelivered(let reason): note(reason)
      }
      tries += 1
      guard loop.now + pause < end, !isEnding, !loop.hasEnded else { return counts.count(.failed, count) }
      await loop.sleep(until: loop.now + pause, as: "another attempt at spans")
    }
  }

  /// Logs a failure, one line a minute.
  private func note(_ reason: String) {
    if let told, loop.now < told.at + Self.logPause {
      self.told = (told.at, told.untold + 1)
      return
    }
    log?.note(
      .warning, "traces_failed", ["error": reason, "failures": String((told?.untold ?? 0) + 1)])
    told = (loop.now, 0)
  }
}
