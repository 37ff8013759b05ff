import GatewayCore
import GatewayProcess
import Synchronization

/// The worker's side of one connection: a storm that proves its knowledge of the secret, and the part that it orders.
///
/// The part is a process of this program, whose lines are passed on. It ends when the storm ends or its connection is lost.
final class WorkerConnection: Sendable {
  private struct State {
    var process: PartProcess?
    var isEnding = false
  }

  private let stream: LineStream
  private let secret: String
  private let hasProved: @Sendable (WorkerConnection) -> Bool
  private let takePlace: @Sendable () -> Bool
  private let givePlace: @Sendable () -> Void
  private let state = Mutex(State())

  private static let helloPatience = Duration.seconds(5)
  private static let orderPatience = Duration.seconds(60)
  /// The longest line of a connection that has proved nothing yet, and of one that has.
  private static let helloBytesMax = 1_024
  private static let orderBytesMax = 1 << 20

  /// - Parameters:
  ///   - hasProved: Told when the storm has proved that it knows the secret; false if there is no room for it.
  ///   - takePlace: Takes the place for one part; false if there is none.
  ///   - givePlace: Gives it back.
  init(
    _ stream: LineStream, secret: String, hasProved: @escaping @Sendable (WorkerConnection) -> Bool,
    takePlace: @escaping @Sendable () -> Bool, givePlace: @escaping @Sendable () -> Void
  ) {
    self.stream = stream
    self.secret = secret
    self.hasProved = hasProved
    self.takePlace = takePlace
    self.givePlace = givePlace
  }

  /// Serves the connection to its end. Waits: on a thread of its own.
  func run() {
    do {
      try introduce()
      try carryOut(try order())
    } catch let failure as WorkerFailure {
      try? WorkerMessage.refusal(failure.description).send(to: stream)
    } catch {
      // Whoever has gone, or says nothing for too long, is told nothing.
    }
    stream.end()
  }

  private func introduce() throws {
    let ours = WorkerProof.nonce()
    try WorkerMessage.greeting(version: GatewayDescription.currentVersion, nonce: ours).send(to: stream)
    let claim = try WorkerMessage.next(from: stream, bytesMax: Self.helloBytesMax, patience: Self.helloPatience)
    guard case .claim(let theirs, let proof) = claim,
      WorkerProof.holds(proof, secret, of: .storm, nonces: (theirs, ours))
    else { throw WorkerFailure("the worker has another secret") }
    guard hasProved(self) else { throw WorkerFailure(Worker.isFull) }
    let answer = WorkerProof.code(secret, of: .worker, nonces: (ours, theirs))
    try WorkerMessage.acceptance(proof: answer).send(to: stream)
  }

  private func order() throws -> WorkerOrder {
    while true {
      switch try WorkerMessage.next(from: stream, bytesMax: Self.orderBytesMax, patience: Self.orderPatience) {
      case .clockAsked: try WorkerMessage.clock(nanoseconds: SystemTime.now.nanoseconds).send(to: stream)
      case .order(let order): return order
      case .greeting, .claim, .acceptance, .clock, .refusal: throw WorkerFailure("an order was to come")
      }
    }
  }

  private func carryOut(_ order: WorkerOrder) throws {
    guard takePlace() else { throw WorkerFailure(Worker.isFull) }
    defer { givePlace() }
    // Not the worker's own: the order says all there is to say.
    let own = ProcessEnvironment.variables.filter { !$0.key.hasPrefix("POSTERN_") }
    let theirs = order.environment.filter { $0.key.hasPrefix("POSTERN_") }
    let process = try PartProcess(
      order.part, words: ["storm"] + order.words, environment: own.merging(theirs) { $1 }, keepsErrors: true)
    let isEnding = state.withLock { state in
      state.process = process
      return state.isEnding
    }
    if isEnding { process.interrupt() }
    // The only other message of a storm is that it ends.
    OwnThread.start { [stream] in
      _ = try? stream.next(bytesMax: 0)
      process.interrupt()
    }
    var mayPassOn = true
    while let line = process.nextLine() {
      guard mayPassOn else { continue }
      do {
        try stream.write(line)
      } catch {
        mayPassOn = false
        process.interrupt()
      }
    }
    let (status, said) = process.end()
    try stream.write(StormMessage.ended(status: status, said: said).line().utf8)
  }

  /// Ends the part, which still tells what it came to; or the connection, if there is none.
  func end() {
    let process = state.withLock { state in
      state.isEnding = true
      return state.process
    }
    if let process { process.interrupt() } else { stream.end() }
  }
}
