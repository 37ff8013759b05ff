import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport

/// The parrot in virtual time.
struct VirtualParrot: ParrotWorld {
  private let space: TestSpace<ParrotVendor>

  init() throws {
    let verifier = JWTVerifier(keys: try KeySet([try VerificationKey(Self.secret)]))
    space = try TestSpace(ParrotSettings(verifier: verifier), GatewayConfiguration(session: try SessionPolicy()))
  }

  var wallTime: WallTime { space.world.wallTime }

  func dial() -> any ParrotPeer {
    Peer(space.dial(HTTPRequest(method: "GET", path: ParrotDialect.path)), space.world)
  }

  func expire(_ user: String) throws -> Int {
    let reached = space.order { try? await $0.control(UserID(user), .expireNow) }.flatMap { $0 }
    space.world.settle()
    return reached ?? 0
  }

  func fetch(_ path: String) throws -> HTTPResponse {
    guard let answer = space.fetch(HTTPRequest(method: "GET", path: path)) else { throw NoAnswer() }
    return try answer.get()
  }

  struct NoAnswer: Error {}

  /// Hears by letting time pass, as far as it must.
  private final class Peer: ParrotPeer {
    private let peer: SimulatedPeer
    private let world: SimulatedWorld
    private var heard = 0

    init(_ peer: SimulatedPeer, _ world: SimulatedWorld) {
      self.peer = peer
      self.world = world
    }

    func say(_ text: String) {
      peer.say(text)
      world.settle()
    }

    func hear() throws -> String? {
      for _ in 0..<100 where peer.texts.count == heard && peer.ending == nil { world.advance(by: .seconds(1)) }
      guard heard < peer.texts.count else {
        guard peer.ending != nil else { throw NoAnswer() }
        return nil
      }
      defer { heard += 1 }
      return peer.texts[heard]
    }

    func closeCode() throws -> UInt16? {
      while try hear() != nil {}
      return peer.ending?.code
    }
  }
}
