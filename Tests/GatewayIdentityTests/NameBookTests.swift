import GatewayCore
import GatewayRuntime
import GatewaySimulator
import Synchronization
import Testing

@testable import GatewayIdentity

@Suite(.timeLimit(.minutes(2)))
struct NameBookTests {
  /// A name service that answers when a test says so.
  private final class Service: Sendable {
    private let asked = Mutex<[@Sendable (NameBook.Found) -> Void]>([])
    private let total = Mutex(0)

    var book: NameBook {
      NameBook { [self] _, answer in
        asked.withLock { $0.append(answer) }
        total.withLock { $0 += 1 }
      }
    }

    var count: Int { total.withLock { $0 } }

    func answer(_ found: NameBook.Found) {
      let all = asked.withLock { asked in
        defer { asked = [] }
        return asked
      }
      for answer in all { answer(found) }
    }
  }

  private static let failed = NameBook.Found.failure(OutboundFailure("no such host", .unreachable))

  @Test
  func `many callers that need one host cause one lookup, and its addresses are used for half a minute`() {
    let world = SimulatedWorld(seed: 1, loops: 1, keepsTrace: false)
    let (service, loop) = (Service(), world.loops[0].eventLoop)
    let book = service.book
    let found = Mutex<[NameBook.Found]>([])
    for _ in 0..<50 {
      world.loops[0].stage.start {
        let addresses = await book.addresses(of: "a.example", on: loop, until: loop.now + .seconds(3))
        found.withLock { $0.append(addresses) }
      }
    }
    world.advance(by: .seconds(1))
    service.answer(.success(["192.0.2.1"]))
    world.settle()
    #expect(found.withLock { $0 } == [NameBook.Found](repeating: .success(["192.0.2.1"]), count: 50))
    world.advance(by: .seconds(20))
    let ask: () -> NameBook.Found? = {
      world.ask { await book.addresses(of: "a.example", on: loop, until: loop.now + .seconds(3)) }
    }
    #expect(ask() == .success(["192.0.2.1"]) && service.count == 1)
    // Older ones are used while the name service is asked again.
    world.advance(by: .seconds(20))
    #expect(ask() == .success(["192.0.2.1"]) && ask() == .success(["192.0.2.1"]) && service.count == 2)
    service.answer(.success(["192.0.2.2"]))
    #expect(ask() == .success(["192.0.2.2"]) && service.count == 2)
  }

  @Test
  func `a name service that fails or hangs leaves old addresses good for ten minutes`() {
    let world = SimulatedWorld(seed: 1, loops: 1, keepsTrace: false)
    let (service, loop) = (Service(), world.loops[0].eventLoop)
    let book = service.book
    let ask: (Duration) -> (NameBook.Found?, Duration) = { patience in
      let begun = world.now
      let found = world.ask { await book.addresses(of: "a.example", on: loop, until: loop.now + patience) }
      return (found, world.now - begun)
    }
    let hung = ask(.seconds(3))
    #expect(hung.1 == .seconds(3))
    guard case .failure(let late)? = hung.0 else {
      Issue.record("found \(hung)")
      return
    }
    #expect(late.result == .timedOut)
    // The late answer is of use to the next.
    service.answer(.success(["192.0.2.1"]))
    let early = ask(.seconds(3))
    #expect(early.0 == .success(["192.0.2.1"]) && early.1 == .zero)
    world.advance(by: .seconds(300))
    let later = ask(.seconds(3))
    #expect(later.0 == .success(["192.0.2.1"]) && later.1 == .seconds(1))
    service.answer(Self.failed)
    world.advance(by: .seconds(400))
    #expect(ask(.seconds(3)).1 == .seconds(3) && service.count == 3)
    service.answer(Self.failed)
  }
}
