import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayFaults

/// A gateway of the plain dialect in virtual time that accepts orders to fail.
struct FaultyGateway {
  let simulated: SimulatedGateway

  init(seed: UInt64 = 1, _ session: SessionPolicy? = nil) throws {
    simulated = try SimulatedGateway(
      seed: seed, loops: 1, GatewayConfiguration(session: try session ?? SessionPolicy()), takesFaults: true)
  }

  var world: SimulatedWorld { simulated.world }

  /// Orders a fault. Throws an error about the order.
  @discardableResult
  func fail(_ json: String) throws -> StandingFault {
    let faults = try #require(simulated.space.space.faults)
    let order = try FaultOrder.read(json: Array(json.utf8))
    let made: Result<StandingFault, GatewayError>? = world.ask {
      do throws(GatewayError) { return .success(try faults.add(order)) } catch { return .failure(error) }
    }
    world.settle()
    return try #require(made).get()
  }

  func mend(_ fault: StandingFault) throws {
    let faults = try #require(simulated.space.space.faults)
    #expect(world.ask { faults.remove(fault.number) } == true)
    world.settle()
  }

  /// Returns a logged-in client.
  func connect(_ user: String = "ann", _ kind: UserKind = .regular, life: Duration = .seconds(600)) -> SimulatedPeer {
    simulated.connect(simulated.token(user, kind, life: life))
  }

  /// Returns the token provider's answer.
  func mint(_ user: String, life: Int = 600, _ more: String = "") -> Result<HTTPResponse, DialFailure>? {
    simulated.fetch("POST", "/v1/tokens", body: #"{"user_id":"\#(user)","life_s":\#(life)\#(more)}"#)
  }

  /// Returns the provider's token.
  func minted(for user: String, life: Int = 600, _ more: String = "") throws -> Credentials {
    let answer = try #require(try mint(user, life: life, more)?.get())
    let text = String(decoding: answer.body, as: UTF8.self)
    let token = try #require(text.firstMatch(of: #/"token":"([^"]*)"/#), "\(answer.status) \(text)")
    return Credentials(token: String(token.1))
  }

  /// Expires the user's tokens now.
  func expire(_ user: String = "ann") {
    _ = simulated.order { try? await $0.control(UserID(user), .expireNow) }
    world.settle()
  }

  /// Sends a new token from the client.
  func refresh(_ peer: SimulatedPeer, _ user: String = "ann") {
    peer.say(#"{"type":"refresh","token":"\#(simulated.token(user, life: .seconds(1200)).token)"}"#)
    world.settle()
  }

  /// Returns the close codes in the journal's lines about the close and the end of the user's connection.
  func closes(of user: String) -> [UInt16] {
    lines(.cutOff, .closed).filter { $0.user == UserID(user) }.map { line in
      switch line.event {
      case .cutOff(let close), .closed(let close, _): close.code
      default: 0
      }
    }
  }

  /// Returns the journal's lines of these kinds.
  func lines(_ kinds: JournalKind...) -> [JournalLine] {
    simulated.order { await $0.journal(Journal.Query(kinds: kinds))?.lines ?? [] } ?? []
  }
}

extension SimulatedPeer {
  /// The `type` of each received message, in order.
  var types: [String] {
    texts.map { text in
      text.firstMatch(of: #/"type":"([a-z_]+)"/#).map { String($0.1) } ?? text
    }
  }

  /// Whether it has received no message about an end.
  var hasHeardNoEnd: Bool {
    !events.contains { if case .closed = $0.event { true } else { false } }
  }

  /// The code with which it was closed; nil if it was not closed, or without one.
  var closeCode: UInt16? {
    events.compactMap { if case .closed(let code, _) = $0.event { code } else { nil } }.first
  }

  /// The status with which its upgrade was refused.
  var refusal: Int? {
    events.compactMap { if case .refused(.refused(let status)) = $0.event { status } else { nil } }.first
  }
}
