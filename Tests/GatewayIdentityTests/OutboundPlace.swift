import GatewayCore
import GatewayRuntime
import GatewayServer
import GatewaySimulator
import Synchronization
import TestSupport
import Testing

@testable import GatewayIdentity

/// The place of a caller and of the server that it asks, and the kind of its time.
enum OutboundPlace: CaseIterable, CustomTestStringConvertible, Sendable {
  case virtualTime, sockets

  var testDescription: String { self == .sockets ? "over sockets" : "in virtual time" }

  private static let virtualPort = 9_000
  private struct Unfinished: Error {}

  /// Runs `body` on the loop of a caller, whose server is `site`.
  func run(_ site: AnsweringSite, _ body: @escaping @Sendable (OutboundScene) async throws -> Void) async throws {
    switch self {
    case .virtualTime:
      let world = SimulatedWorld(seed: 1, loops: 2, keepsTrace: false)
      let network = SimulatedNetwork(world)
      network.listen(
        on: DialTarget(host: "127.0.0.1", port: Self.virtualPort), loops: [world.loops[1]], site: site)
      let loop = world.loops[0].eventLoop
      let scene = OutboundScene(loop, SimulatedDialer(network, on: world.loops[0]), port: Self.virtualPort)
      let outcome = world.ask(within: .seconds(86_400)) { () async -> Result<Void, any Error> in
        do { return .success(try await body(scene)) } catch { return .failure(error) }
      }
      guard let outcome else { throw Unfinished() }
      try outcome.get()
    case .sockets:
      let settings = Listener.Settings(host: "127.0.0.1", port: 0)
      let loops = (0..<2).map { SocketLoop(index: $0, limits: settings.limits, seed: 1) }
      for loop in loops { try loop.start() }
      defer { loops.forEach { $0.stop() } }
      let listener = try await Listener.start(settings, serving: site, on: [loops[1]])
      let scene = OutboundScene(loops[0].events, SocketDialer(on: loops[0]), port: listener.port)
      let outcome = await Task(executorPreference: loops[0].events) { try await body(scene) }.result
      await listener.stopAccepting()
      try outcome.get()
    }
  }
}

/// A caller on its loop.
struct OutboundScene: Sendable {
  let caller = EndpointCaller(log: nil)
  let loop: EventLoop
  let port: Int

  init(_ loop: EventLoop, _ dialer: any Dialer, port: Int) {
    self.loop = loop
    self.port = port
    caller.begin([(loop, dialer)], names: nil)
  }

  func endpoint(
    _ path: String = "/", timeout: Duration = .seconds(30), bytes: Int = 64 << 10, tries: Int = 1
  ) throws -> Endpoint {
    Endpoint(
      try EndpointAddress("http://127.0.0.1:\(port)\(path)"), counted: caller.tally("here"), timeout: timeout,
      answerBytesMax: bytes, triesMax: tries)
  }

  /// Returns the text of the answer with status 200, or the failure.
  func ask(_ endpoint: Endpoint) async -> Result<String, OutboundFailure> {
    do throws(OutboundFailure) {
      return .success(
        try await caller.ask(endpoint, endpoint.address.request()) { (response) throws(OutboundFailure) in
          guard response.status == 200 else { throw OutboundFailure(status: response.status) }
          return response.text
        })
    } catch {
      return .failure(error)
    }
  }

  /// Asks that many times at once. Returns all results.
  func ask(_ endpoint: Endpoint, times count: Int) async -> [Result<String, OutboundFailure>] {
    let results = Mutex<[Result<String, OutboundFailure>]>([])
    let stage = LoopStage(loop: loop)
    let tasks = (0..<count).map { _ in
      stage.begin {
        let result = await self.ask(endpoint)
        return result
      }
    }
    for task in tasks {
      let value = await task.value
      results.withLock { $0.append(value) }
    }
    return results.withLock { $0 }
  }

  var counts: [OutboundFailure.Result: UInt64] { caller.tally("here").counts.results }
}

/// A server that answers as a test wants, and counts.
final class AnsweringSite: Site {
  private let answer: nonisolated(nonsending) @Sendable (HTTPRequest, Int, EventLoop) async -> HTTPResponse
  private let state = Mutex((requests: [Instant](), underWay: 0, most: 0))

  init(_ answer: nonisolated(nonsending) @escaping @Sendable (HTTPRequest, Int, EventLoop) async -> HTTPResponse) {
    self.answer = answer
  }

  /// When it was asked.
  var requests: [Instant] { state.withLock { $0.requests } }
  /// The maximum number of requests that were under way at once.
  var most: Int { state.withLock { $0.most } }

  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission { .refuse(HTTPResponse(status: 404)) }

  func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    let number = state.withLock { state in
      state.requests.append(loop.now)
      state.underWay += 1
      state.most = max(state.most, state.underWay)
      return state.requests.count
    }
    defer { state.withLock { $0.underWay -= 1 } }
    return await answer(request, number, loop)
  }
}
