import GatewayCore
import GatewayProcess
import Synchronization

/// The parts that a worker carries out: several of one storm at most, and none of another at the same time.
final class WorkerParts: Sendable {
  private struct State {
    /// The storm whose parts are carried out, and the time since boot when its first began; nil if there is none.
    var storm: (name: Name, since: Duration)?
    var parts: [ObjectIdentifier: WorkerPart] = [:]
    /// The places taken: by the parts, and by the orders whose process is being started.
    var taken = 0
    var isEnding = false
  }

  let partsMax: Int
  private let state = Mutex(State())
  private let whenOver: @Sendable () -> Void

  /// - Parameter whenOver: Called when the last part of a storm has ended.
  init(partsMax: Int, whenOver: @escaping @Sendable () -> Void) {
    self.partsMax = partsMax
    self.whenOver = whenOver
  }

  var count: Int { state.withLock { $0.taken } }

  /// Starts the part of an order.
  func begin(_ order: WorkerOrder) throws(WorkerRefusal) -> WorkerPart {
    try order.check()
    let name = Name(order.storm)
    if let refusal = state.withLock({ take(&$0, for: name) }) { throw refusal }
    let part: WorkerPart
    do {
      part = try WorkerPart(order)
    } catch {
      giveBack()
      throw WorkerRefusal(500, "the part's process cannot be started: \(error)")
    }
    let isEnding = state.withLock { state in
      state.parts[ObjectIdentifier(part)] = part
      return state.isEnding
    }
    if isEnding { part.interrupt() }
    OwnThread.start { [self] in
      part.run()
      state.withLock { $0.parts[ObjectIdentifier(part)] = nil }
      giveBack()
    }
    return part
  }

  /// Takes a place for a part of that storm. Returns why there is none.
  private func take(_ state: inout State, for storm: Name) -> WorkerRefusal? {
    guard !state.isEnding else { return WorkerRefusal(503, "the worker ends") }
    if let other = state.storm, other.name != storm {
      let seconds = (SystemTime.sinceBoot - other.since).components.seconds
      return WorkerRefusal(
        409,
        "the worker carries out another storm, for \(seconds) s now; wait until that has ended, or start another worker"
      )
    }
    guard state.taken < partsMax else {
      return WorkerRefusal(
        409,
        "the worker carries out as many parts as it may (--parts-max \(partsMax)); raise that, or name more workers")
    }
    if state.storm == nil { state.storm = (storm, SystemTime.sinceBoot) }
    state.taken += 1
    return nil
  }

  private func giveBack() {
    let isOver = state.withLock { state in
      state.taken -= 1
      if state.taken == 0 { state.storm = nil }
      return state.taken == 0
    }
    if isOver { whenOver() }
  }

  /// Ends the parts of a storm early, which still tell their results. Returns false if none is of that storm.
  func end(_ storm: String) -> Bool {
    let parts = state.withLock { state -> [WorkerPart]? in
      guard let running = state.storm, running.name == Name(storm) else { return nil }
      return Array(state.parts.values)
    }
    for part in parts ?? [] { part.interrupt() }
    return parts != nil
  }

  /// Ends all parts early, and begins no others.
  func end() {
    let parts = state.withLock { state in
      state.isEnding = true
      return Array(state.parts.values)
    }
    for part in parts { part.interrupt() }
  }
}
