import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayStores
import TestSupport
import Testing

struct SpacesTests {
  /// A record of the spaces' ports; used only by the thread that runs the world.
  private final class Ports: @unchecked Sendable {
    // @unchecked Sendable: the world has one thread.
    var opened = 0
    var closed = 0
    var isTaken = false
  }

  private let house: TestHouse
  private let ports = Ports()
  private let spaces: Spaces

  init() throws {
    let (settings, _) = try PlainHouse.settings()
    house = try TestHouse(settings, spaces: 0)
    spaces = Spaces(on: house.host.eventLoop, countMax: 3) { [ports] order, _ in
      guard order.settings.isEmpty else { throw GatewayError.invalidParameter.detailed("no settings here") }
      var plan = SpacePlan(
        settings: settings, secret: nil, store: { MemoryStore(on: $0) },
        description: { _ in
          GatewayDescription(
            dialects: [],
            limits: .init(
              connectionsMax: 1, connectionRate: nil, messageBytesMax: 1, bodyBytesMax: 1, headerBytesMax: 1,
              outboundBytesMax: 1),
            provider: .init(
              latencyS: 0, concurrency: nil, queueMax: 0, failureRate: 0, tokenLifeS: nil, needsSecret: false),
            loops: 1, tls: false)
        },
        listen: { _ in
          if ports.isTaken { throw GatewayError.alreadyExists }
          ports.opened += 1
          return SpacePort(host: "127.0.0.1", number: ports.opened, isSecure: false) { ports.closed += 1 }
        })
      if let idleTime = order.idleTime { plan.limits.idleTime = idleTime }
      return plan
    }
  }

  private func make(_ change: (inout SpaceOrder) -> Void = { _ in }) -> Result<NamedSpace, GatewayError> {
    var order = SpaceOrder()
    change(&order)
    let asked = house.world.ask { [spaces, order] () async -> Result<NamedSpace, GatewayError> in
      do throws(GatewayError) { return .success(try await spaces.make(order)) } catch { return .failure(error) }
    }
    return asked ?? .failure(.internalError)
  }

  private func refuses(_ error: GatewayError, _ change: (inout SpaceOrder) -> Void = { _ in }) -> Bool {
    if case .failure(let failure) = make(change) { failure.isSame(as: error) } else { false }
  }

  private var names: [String] {
    house.host.eventLoop.asCurrent { spaces.all().map(\.name.text) }
  }

  @Test
  func `hosted spaces are created with a unique name, and found by the name's bytes`() throws {
    let chosen = try make().get()
    let t17 = try make { $0.name = "t17" }.get()
    #expect(names == ["s1", "t17"])
    #expect(chosen.name == "s1" && t17.url == "ws://127.0.0.1:2")
    #expect(t17.urls == ["plain": "ws://127.0.0.1:2/v1/connect"])
    #expect(refuses(.alreadyExists) { $0.name = "t17" })
    for name in ["", "T17", "a b", "a/b", "..", "é", "a\u{212A}", String(repeating: "a", count: 64)] {
      #expect(refuses(.invalidParameter) { $0.name = name }, "\(name)")
    }
    house.host.eventLoop.asCurrent {
      #expect(spaces["t17"] === t17 && spaces["T17"] == nil)
      #expect(spaces.all(after: "t", limit: 1).map(\.name) == ["t17"])
    }
    #expect(try make { $0.name = String(repeating: "-", count: 63) }.get().port.number == 3)
    #expect(refuses(.overloaded), "three are as many as may be")
  }

  @Test
  func `a hosted space that cannot be created leaves nothing behind`() throws {
    ports.isTaken = true
    #expect(refuses(.alreadyExists) { $0.name = "t17" })
    #expect(refuses(.invalidParameter) { $0.settings = [.init("x", ["1"])] })
    ports.isTaken = false
    #expect(names.isEmpty)
    _ = try make { $0.name = "t17" }.get()
    #expect(names == ["t17"])
  }

  @Test
  func `hosted spaces end with their ports, once, however many callers ask for it, and leave nothing`() throws {
    var space: NamedSpace? = try make { $0.name = "t17" }.get()
    weak let gateway: Gateway? = space?.hosted.space?.gateway
    #expect(gateway != nil)
    let both = house.world.ask { [spaces, space] in
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { [space] in if let space { await spaces.end(space) } } }
      }
      return true
    }
    #expect(both == true && ports.closed == 1 && names.isEmpty)
    space = nil
    house.world.settle()
    #expect(gateway == nil)
    _ = try make { $0.name = "t17" }.get()
  }

  @Test
  func `unused hosted spaces end by themselves, and free their names`() throws {
    _ = try make {
      $0.name = "t17"
      $0.idleTime = .seconds(5)
    }.get()
    house.world.advance(by: .seconds(4))
    #expect(names == ["t17"])
    house.world.advance(by: .seconds(2))
    #expect(names.isEmpty && ports.closed == 1)
  }

  @Test
  func `hosted spaces all end when the process drains, and no other can be created`() throws {
    for _ in 0..<3 { _ = try make().get() }
    let isDone = house.world.ask { [spaces] () async -> Bool in
      await spaces.drain()
      return true
    }
    #expect(isDone == true)
    #expect(names.isEmpty && ports.closed == 3)
    #expect(refuses(.draining))
  }
}
