import GatewayCore
import GatewayServer
import Synchronization
import TestSupport
import Testing

@testable import GatewayRedis

/// A kind of bus for contract tests: the buses of some nodes, and how garbage gets among their messages.
struct BusCase: CustomTestStringConvertible, Sendable {
  typealias Nodes = (buses: [any Bus], garble: @Sendable ([UInt8]) async -> Void)

  let testDescription: String
  /// Makes the buses of nodes 0 and up, each with a receiver, and begins them.
  let make: @Sendable ([Listener]) async throws -> Nodes

  static let all = [
    BusCase(testDescription: "in memory") { listeners in
      let (channel, links) = (MemoryBus.Channel(), try RedisServer.links())
      let buses = listeners.enumerated().map { node, listener in
        let bus = MemoryBus(as: NodeBoot(node: node, boot: 0), on: channel) { links.execute($0) }
        bus.open(listener)
        return bus
      }
      return (buses, { channel.publish($0) })
    },
    BusCase(testDescription: "Redis") { listeners in
      let settings = try RedisServer.sharedSettings()
      var buses: [RedisBus] = []
      for (node, listener) in listeners.enumerated() {
        let bus = RedisBus(settings, as: NodeBoot(node: node, boot: 0), on: try RedisServer.links()) { _ in }
        bus.open(listener)
        try await bus.start(saying: .note(VendorNote("hello", "")))
        buses.append(bus)
      }
      let lane = RedisLane(on: try RedisServer.links(), settings)
      return (
        buses,
        { bytes in
          var command = RedisCommand("PUBLISH", "\(settings.prefix):bus")
          command.append(bytes)
          _ = await lane.ask(command)
        }
      )
    },
  ]
}

/// A receiver that keeps the texts of notes.
final class Listener: BusReceiver {
  private let state = Mutex<(heard: [String], gaps: Int, waiters: [(Int, CheckedContinuation<Void, Never>)])>(
    ([], 0, []))

  func receive(_ message: BusMessage, from sender: NodeBoot) {
    guard case .note(let note) = message, note.topic == "test" else { return }
    let over = state.withLock { state in
      state.heard.append("\(sender.node) \(note.text)")
      let count = state.heard.count
      let over = state.waiters.filter { $0.0 <= count }
      state.waiters.removeAll { $0.0 <= count }
      return over
    }
    for (_, continuation) in over { continuation.resume() }
  }

  func missed() { state.withLock { $0.gaps += 1 } }

  var heard: [String] { state.withLock { $0.heard } }
  var gaps: Int { state.withLock { $0.gaps } }

  /// Waits until it has heard that many.
  func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.heard.count >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isOver { continuation.resume() }
    }
  }
}

extension Bus {
  fileprivate func say(_ text: String) { send(.note(VendorNote("test", text))) }
}

@Suite(.timeLimit(.minutes(20)))
struct BusContract {
  private let listeners = (0..<3).map { _ in Listener() }

  @Test(arguments: BusCase.all)
  func `every node receives each message once, its own too, all in one order and each sender's in its order`(
    kind: BusCase
  ) async throws {
    let nodes = try await kind.make(listeners)
    await withTaskGroup { group in
      for (node, bus) in nodes.buses.enumerated() {
        group.addTask { for number in 0..<500 { bus.say("\(node) \(number)") } }
      }
    }
    for listener in listeners { await listener.wait(for: 1_500) }
    #expect(listeners[1].heard == listeners[0].heard && listeners[2].heard == listeners[0].heard)
    for node in 0..<3 {
      let own = listeners[0].heard.filter { $0.hasPrefix("\(node) \(node) ") }
      #expect(own == (0..<500).map { "\(node) \(node) \($0)" })
    }
    #expect(listeners.allSatisfy { $0.gaps == 0 })
  }

  @Test(arguments: BusCase.all)
  func `a node that has settled has received its earlier messages`(kind: BusCase) async throws {
    let nodes = try await kind.make(listeners)
    for number in 0..<50 {
      nodes.buses[1].say("\(number)")
      await nodes.buses[1].settle()
      #expect(listeners[1].heard.count == number + 1)
    }
  }

  @Test(arguments: BusCase.all)
  func `an invalid message reaches no receiver, and its neighbours arrive`(kind: BusCase) async throws {
    let nodes = try await kind.make(listeners)
    nodes.buses[0].say("before")
    await nodes.buses[0].settle()
    let whole = BusMessage.note(VendorNote("test", "x")).encoded(from: .first, count: 1)
    for bytes in [
      [], [1], Array(repeating: 0xFF, count: 100_000), Array(whole.dropLast()), [0, 0, 0, 0, 0, 0, 0, 3, 9],
    ] {
      await nodes.garble(bytes)
    }
    nodes.buses[2].say("after")
    for listener in listeners {
      await listener.wait(for: 2)
      #expect(listener.heard == ["0 before", "2 after"])
    }
  }
}
