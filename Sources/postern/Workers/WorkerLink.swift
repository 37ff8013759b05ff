import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayProcess
import GatewayRuntime
import GatewayServer

/// The storm's side of one worker, which has answered, knows the secret and has the same version.
///
/// It holds the offset of the worker's clock.
struct WorkerLink: Sendable {
  let address: WorkerAddress
  /// How far the worker's clock is ahead of this one's; negative if it is behind.
  let clockError: Duration
  private let access: WorkerAccess

  private static let patience = Duration.seconds(5)
  /// The pause between two attempts to reach a worker that is waited for.
  private static let pause = Duration.milliseconds(500)
  private static let clockRounds = 5
  /// In seconds.
  private static let clockErrorMax = 86_400.0

  init(address: WorkerAddress, clockError: Duration, access: WorkerAccess) {
    self.address = address
    self.clockError = clockError
    self.access = access
  }

  /// Asks a worker what it is. Throws ``WorkerFailure``, with a text for the user.
  ///
  /// - Parameters:
  ///   - parts: The number of parts that it is to carry out.
  ///   - deadline: When to give up on a worker that cannot be reached, in time since boot. One attempt is always made. A worker
  ///     that ends another storm has some seconds in any case.
  static func open(
    _ address: WorkerAddress, access: WorkerAccess, parts: Int, until deadline: Duration
  ) async throws -> WorkerLink {
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let begun = SystemTime.sinceBoot
    return try await Task(executorPreference: loop.events) {
      let dialer = SocketDialer(on: loop)
      while true {
        do throws(Fault) {
          return try await measure(address, access, parts, by: dialer)
        } catch {
          guard SystemTime.sinceBoot + pause < error.last(deadline, begun: begun) else {
            throw WorkerFailure("--worker \(address): \(error.reason)")
          }
          await loop.events.sleep(until: loop.events.now + pause)
        }
      }
    }.value
  }

  /// Why a worker cannot be had.
  private enum Fault: Error {
    /// It may be there in a moment.
    case unreached(String)
    /// It ends the storm before this one, perhaps.
    case busy(String)
    case refused(String)

    var reason: String {
      switch self {
      case .unreached(let reason), .busy(let reason), .refused(let reason): reason
      }
    }

    /// Returns until when to try again, in time since boot.
    func last(_ deadline: Duration, begun: Duration) -> Duration {
      switch self {
      case .unreached: deadline
      case .busy: max(deadline, begun + patience)
      case .refused: .zero
      }
    }
  }

  /// The difference in the quickest of some rounds, in the middle of which the worker looked at its clock (as in RFC 5905).
  private nonisolated(nonsending) static func measure(
    _ address: WorkerAddress, _ access: WorkerAccess, _ parts: Int, by dialer: SocketDialer
  ) async throws(Fault) -> WorkerLink {
    var best: (length: Duration, error: Duration)?
    for _ in 0..<clockRounds {
      let asked = SystemTime.now
      let status = try await status(address, access, by: dialer)
      let length = SystemTime.now - asked
      guard Name(status.version) == Name(GatewayDescription.currentVersion) else {
        throw .refused("it is postern \(status.version.prefix(20)), and this is \(GatewayDescription.currentVersion)")
      }
      guard status.parts == 0 else {
        throw .busy("it carries out another storm; wait until that has ended, or start another worker")
      }
      guard parts <= status.partsMax else {
        throw .refused(
          "it carries out \(status.partsMax) parts at once (--parts-max), and \(parts) are wanted; raise that, or name more "
            + "workers"
        )
      }
      let middle = asked + .nanoseconds(length.nanoseconds / 2)
      let error = WallTime(nanoseconds: status.nanoseconds) - middle
      if best.map({ length < $0.length }) ?? true { best = (length, error) }
    }
    guard let error = best?.error, (-clockErrorMax...clockErrorMax).contains(error.inSeconds) else {
      throw .refused("its clock is more than a day from this machine's")
    }
    return WorkerLink(address: address, clockError: error, access: access)
  }

  private nonisolated(nonsending) static func status(
    _ address: WorkerAddress, _ access: WorkerAccess, by dialer: SocketDialer
  ) async throws(Fault) -> WorkerStatus {
    var target = access.target(of: address)
    target.keepsConnections = true
    let request = access.request("GET", "/worker")
    switch await dialer.fetch(request, from: target, timeout: patience) {
    case .failure(.timedOut): throw .unreached("it says nothing")
    case .failure(let failure): throw .unreached(access.words(failure, address))
    case .success(let response):
      guard response.status == 200 else { throw .refused(WorkerRefusal(response).message) }
      guard let status = try? JSONCoder().decode(WorkerStatus.self, from: response.body) else {
        throw .refused("no postern worker answers there")
      }
      return status
    }
  }

  // MARK: Parts

  /// Orders a part, and passes on its lines as they arrive. Returns when there are no more.
  ///
  /// - Parameters:
  ///   - timeout: The time in which the worker must begin.
  ///   - begun: Called when it has, with a function that ends the storm's parts on the worker early.
  ///   - receive: Called with each piece of the lines. Returns how long the next may take; nil to receive no more.
  func carryOut(
    _ order: WorkerOrder, timeout: Duration, begun: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    receive: @escaping @Sendable (_ piece: [UInt8]) -> Duration?
  ) async -> WorkerEnd {
    guard let body = try? JSONCoder().encode(order), body.count <= WorkerOrder.bytesMax else {
      return .refused("the storm's flags are more than \(WorkerOrder.bytesMax) bytes")
    }
    let loop = SocketLoop(index: 0)
    do {
      try loop.start()
    } catch {
      return .refused("\(error)")
    }
    defer { loop.stop() }
    let (target, access, storm) = (access.target(of: address), access, order.storm)
    return await Task(executorPreference: loop.events) {
      let dialer = SocketDialer(on: loop)
      var hasBegun = false
      let outcome = await dialer.stream(
        access.request("POST", "/parts", body), from: target, timeout: timeout
      ) { piece in
        if !hasBegun {
          hasBegun = true
          begun {
            loop.events.execute { Self.end(storm, access, target, by: dialer, on: loop.events) }
          }
        }
        return receive(piece)
      }
      switch outcome {
      case .success(let response) where response.status == 200: return .over
      case .success(let response): return .refused(WorkerRefusal(response).message)
      case .failure(.timedOut): return .silent
      case .failure(let failure): return hasBegun ? .over : .refused(access.words(failure, address))
      }
    }.value
  }

  /// Orders the end of a storm's parts. A worker that cannot be reached for it ends them when the storm has gone.
  private static func end(
    _ storm: String, _ access: WorkerAccess, _ target: DialTarget, by dialer: SocketDialer, on loop: EventLoop
  ) {
    Task.immediate(executorPreference: loop) {
      _ = await dialer.fetch(access.request("DELETE", "/parts/\(storm)"), from: target, timeout: patience)
    }
  }
}

/// How the answer to a part's order ended.
enum WorkerEnd: Hashable, Sendable {
  /// The lines have ended, or the connection has.
  case over
  case silent
  /// The part has not begun.
  case refused(String)
}
