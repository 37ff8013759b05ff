import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

/// A thousand clients of every manner on two loops, with latency, spread, faults, a revocation and a drain.
private struct Crowd {
  let trace: Trace
  let metrics: LoopMetrics?
  let connectionsLeft: Int

  init(seed: UInt64, clients: Int = 1_000, keepsTrace: Bool = false) throws {
    let policy = try SessionPolicy(refreshLead: .seconds(10), refreshSpread: .seconds(20))
    let conditions = LinkConditions(
      latency: .milliseconds(1)...(.milliseconds(40)), windowBytes: 1_024, queueBytesMax: 512)
    let gateway = try SimulatedGateway(
      seed: seed, conditions: conditions, GatewayConfiguration(session: policy), keepsTrace: keepsTrace)
    let world = gateway.world
    var generator = SeededGenerator(seed: seed)
    let crowd = (0..<clients).map { number in
      CrowdClient(
        gateway, on: world.loops[2], user: "user \(number)",
        manner: CrowdClient.Manner.allCases.randomElement(using: &generator)!, seed: generator.next())
    }
    for client in crowd { client.start(at: .zero + .milliseconds(Int64(generator.next() % 20_000))) }
    world.advance(by: .seconds(200))
    let before = world.wallTime
    let revoked = gateway.order { (try? await $0.revoke(.user(UserID("user 7"), issuedBefore: before))) ?? -1 }
    world.note("revoked \(revoked ?? -1)")
    world.advance(by: .seconds(100))
    let order = gateway.gateway
    world.loops[0].stage.start { await order.drain(over: .seconds(60)) }
    world.advance(by: .seconds(100))
    trace = world.trace
    metrics = gateway.order { await $0.metrics() }
    connectionsLeft = gateway.connectionCount
  }
}

struct DeterminismTests {
  /// The hash of the trace of seed 1. Every build must produce it: debug and release, on every machine. When the
  /// gateway's behaviour changes on purpose, so does this number.
  private static let hashOfSeed1: UInt64 = 0x0ACA_E1AD_237C_C4C1

  @Test(.long)
  func `equal seeds make equal runs in every build, and another seed another run`() throws {
    let first = try Crowd(seed: 1)
    let second = try Crowd(seed: 1)
    let other = try Crowd(seed: 2)
    #expect(first.trace.hash == second.trace.hash && first.trace.count == second.trace.count)
    #expect(first.trace.hash == Self.hashOfSeed1, "now 0x\(String(first.trace.hash, radix: 16, uppercase: true))")
    #expect(first.trace.hash != other.trace.hash)
  }

  @Test(.long)
  func `a thousand clients of every kind meet nearly every way to end, and leave nothing behind`() throws {
    let crowd = try Crowd(seed: 3)
    let metrics = try #require(crowd.metrics)
    #expect(crowd.connectionsLeft == 0)
    #expect(metrics.total.connectionsOpened == 1_000)
    #expect(metrics.total.connectionsEnded.total == 1_000)
    for reason in [
      "refresh_timeout", "slow_consumer", "liveness_timeout", "service_restart", "peer_closed", "connection_lost",
      "too_many_failures",
    ] {
      #expect(metrics.total.connectionsEnded.values[reason, default: 0] > 0, "\(reason)")
    }
    for name in ["token_not_renewed", "token_expired", "user_mismatch"] {
      #expect(metrics.total.refreshesRefused.values[name, default: 0] > 0, "\(name)")
    }
    #expect(metrics.total.refreshDuration.count > 200)
    #expect(crowd.trace.count > 20_000)
  }

  @Test
  func `a run that keeps its trace names the first line that differs`() throws {
    let first = try Crowd(seed: 4, clients: 50, keepsTrace: true)
    let second = try Crowd(seed: 4, clients: 50, keepsTrace: true)
    let difference = zip(first.trace.lines, second.trace.lines).first { $0 != $1 }
    #expect(difference == nil)
    #expect(first.trace.lines.count == first.trace.count && first.trace.count > 500)
    #expect(!first.trace.lines.contains { $0.contains("eyJ") }, "no token in the trace")
  }
}
