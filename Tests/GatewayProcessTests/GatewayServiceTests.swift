import Dispatch
import Foundation
import FoundationNetworking
import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewayServer
import GatewaySpace
import GatewayTokens
import Synchronization
import TestSupport
import Testing

@testable import GatewayProcess

@Suite(.timeLimit(.minutes(5)))
struct GatewayServiceTests {
  /// A running gateway whose log is kept, with the signals that its service is sent.
  private struct Served {
    let running: RunningGateway
    let settings: GatewaySettings
    let send: AsyncStream<Int32>.Continuation
    let signals: AsyncStream<Int32>
    let log = KeptLog()

    init() async throws {
      let secret = try KeyMaterial.secret([UInt8](repeating: 7, count: 32))
      let verifier = JWTVerifier(keys: try KeySet([try VerificationKey(secret)]))
      var space = SpaceSettings(
        configuration: GatewayConfiguration(session: try SessionPolicy()),
        vendors: [PlainSettings(verifier: verifier)], issuer: FakeTokens(), provider: try TokenProviderPolicy())
      space.configuration.log = log.log
      settings = GatewaySettings(space)
      (signals, send) = AsyncStream.makeStream(of: Int32.self)
      running = try await RunningGateway.start(settings)
    }

    /// Orders a reload over the control port until the service takes orders; returns the status and the body.
    func reload() async throws -> (Int, String) {
      while true {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(running.controlPort)/reload")))
        request.httpMethod = "POST"
        let (body, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if status != 503 { return (status, String(decoding: body, as: UTF8.self)) }
      }
    }

    func run(
      environment: [String: String] = [:], inputEnd: (@Sendable () async -> Void)? = nil,
      readAnew: @escaping GatewayService.Reading
    ) async {
      let service = GatewayService(
        running, log.log, Supervision(environment, log.log), drainWindow: .milliseconds(100))
      await service.run(signals, inputEnd: inputEnd, readAnew: readAnew)
    }
  }

  private struct Unreadable: Error, CustomStringConvertible {
    var description: String { "the file is gone" }
  }

  @Test(arguments: [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")])
  func `a signal drains the gateway and stops it, and the log names the signal`(signal: Int32, cause: String)
    async throws
  {
    let served = try await Served()
    served.send.yield(signal)
    await served.run { served.settings }
    #expect(served.log.names == ["drain_begun", "drain_ended", "stopped"])
    #expect(served.log["drain_begun"]?["cause"] == cause && served.log["drain_begun"]?["window_s"] == "0.1")
  }

  @Test
  func `an order over the control port drains the gateway with its own window`() async throws {
    let served = try await Served()
    let address = "http://127.0.0.1:\(served.running.controlPort)/drain"
    var request = URLRequest(url: try #require(URL(string: address)))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "content-type")
    request.httpBody = Data(#"{"window_s": 0.2}"#.utf8)
    let (_, response) = try await URLSession.shared.data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 202)
    await served.run { served.settings }
    #expect(served.log["drain_begun"]?["cause"] == "control" && served.log["drain_begun"]?["window_s"] == "0.2")
  }

  @Test
  func `the end of the input drains the gateway only if the service watches it`() async throws {
    let served = try await Served()
    await served.run(inputEnd: {}) { served.settings }
    #expect(served.log["drain_begun"]?["cause"] == "input")
  }

  @Test
  func `SIGHUP reloads the keys, keeps the old ones if a file cannot be read, and ends nothing`() async throws {
    let served = try await Served()
    let reads = Mutex(0)
    served.send.yield(SIGHUP)
    served.log.onEvent { event in
      switch event.name {
      case "keys_kept": served.send.yield(SIGHUP)
      case "keys_reloaded": for signal in [SIGTERM, SIGHUP] { served.send.yield(signal) }
      default: break
      }
    }
    await served.run {
      let number = reads.withLock {
        $0 += 1
        return $0
      }
      guard number > 1 else { throw Unreadable() }
      return served.settings
    }
    #expect(reads.withLock { $0 } == 2, "a reload during the drain")
    #expect(served.log.names == ["keys_kept", "keys_reloaded", "drain_begun", "drain_ended", "stopped"])
    #expect(served.log["keys_kept"]?["error"] == "the file is gone")
  }

  @Test
  func `a SIGTERM behind a hundred SIGHUPs ends the gateway while a reload waits for its file`() async throws {
    let served = try await Served()
    let file = DispatchSemaphore(value: 0)
    let reads = Mutex(0)
    for _ in 0..<100 { served.send.yield(SIGHUP) }
    served.send.yield(SIGTERM)
    await served.run {
      reads.withLock { $0 += 1 }
      file.wait()
      return served.settings
    }
    #expect(served.log.names.suffix(3) == ["drain_begun", "drain_ended", "stopped"])
    #expect(served.log["drain_begun"]?["cause"] == "SIGTERM" && reads.withLock { $0 } <= 1)
    file.signal()
  }

  @Test
  func `orders to reload are answered with what was read, and with the reason if old keys stay`() async throws {
    let served = try await Served()
    let fails = Mutex(false)
    @Sendable func ask() async throws -> [(Int, String)] {
      defer { served.send.yield(SIGTERM) }
      let first = try await served.reload()
      fails.withLock { $0 = true }
      return [first, try await served.reload()]
    }
    async let asking = ask()
    await served.run {
      if fails.withLock({ $0 }) { throw Unreadable() }
      var settings = served.settings
      settings.keyFiles = ["--secret-file"]
      return settings
    }
    let answers = try await asking
    #expect(answers.map(\.0) == [200, 200])
    #expect(
      answers.map(\.1) == [
        #"{"keys":{"files":["--secret-file"],"result":"reloaded"}}"#,
        #"{"keys":{"error":"the file is gone","result":"kept"}}"#,
      ])
    let orders = served.log.all("order")
    #expect(orders.map { $0["keys"] } == ["reloaded", "kept"])
    #expect(orders.allSatisfy { $0["order"] == "reload" && $0["from"] == "127.0.0.1" && $0["key"] == "none" })
  }

  @Test
  func `a start on a port in use throws, names the address, and leaves nothing listening`() async throws {
    let served = try await Served()
    var settings = served.settings
    settings.controlPort = served.running.controlPort
    let error = await #expect(throws: ServerError.self) { try await RunningGateway.start(settings) }
    #expect(error.map { "\($0)".contains("127.0.0.1:\(settings.controlPort)") } == true, "\(error as Any)")
    served.send.yield(SIGTERM)
    await served.run { served.settings }
  }

  @Test
  func `a service manager is told ready, reloading and stopping, and a gateway without one runs as well`() async throws
  {
    let manager = try NotifiedSocket()
    let served = try await Served()
    @Sendable func order() async throws {
      defer { served.send.yield(SIGTERM) }
      _ = try await served.reload()
    }
    async let ordered: Void = order()
    await served.run(environment: ["NOTIFY_SOCKET": manager.path]) { served.settings }
    let heard = try (0..<4).map { _ in try manager.receive() }
    #expect(heard.map { $0.prefix { $0 != "=" } } == ["READY", "RELOADING", "READY", "STOPPING"])
    #expect(heard[0].contains("port \(served.running.port), control port \(served.running.controlPort)"))
    #expect(!served.log.names.contains("service_manager_deaf"))
    try await ordered

    let other = try await Served()
    other.send.yield(SIGTERM)
    await other.run(environment: ["NOTIFY_SOCKET": "/nobody/listens/here"]) { other.settings }
    #expect(other.log.names.contains("service_manager_deaf") && other.log.names.last == "stopped")
  }
}
