import FoundationEssentials
import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import TestTraits
import Testing

@testable import postern

/// A comparison of the machines with every vendor's clients on its wire: the table of `Docs/simulation-file.md`.
@Suite(.long)
struct DialectTests {
  /// A vendor's clients, with each of its SDKs as a kind of its own.
  struct Kind: CustomTestStringConvertible, Sendable {
    let scheme: String
    let sdk: String?

    var testDescription: String { sdk.map { "\(scheme), \($0)" } ?? scheme }

    static let all = Vendors.all.flatMap { vendor in
      vendor.clients.sdks.isEmpty
        ? [Kind(scheme: vendor.scheme, sdk: nil)]
        : vendor.clients.sdks.map { Kind(scheme: vendor.scheme, sdk: $0) }
    }
  }

  /// Returns a scene with few clients and a seed for each kind, so that all kinds take seconds. The bounds are the ones
  /// for two thousand clients, since randomness decides little: the provider decides which clients are lost, and the
  /// waits of hundreds decide when.
  private static func scene(_ name: String, _ kind: Kind, _ set: (inout Scene) -> Void) -> Scene {
    Scene("\(name) of \(kind.testDescription)") {
      $0.plan.clients = 500
      // In whole seconds, in which vendors date their tokens.
      $0.plan.expireAfter = 60
      $0.dialect = kind.scheme
      $0.sdk = kind.sdk
      set(&$0)
    }
  }

  private static func agree(_ scene: Scene) throws {
    let wire = try scene.wire(seed: 1)
    let machines = try scene.machines(seed: 1)
    func both(_ count: (StormResult) -> Int) -> [Int] { [machines, wire].map(count) }
    let clients = scene.plan.clients
    // An SDK that ends with its first refused refresh is lost by its random place in the queue alone.
    let bound = scene.sdk == "swift" ? clients / 50 : clients / 200
    for counts in [
      both { $0.everybody.connected }, both { $0.everybody.kept }, both { $0.everybody.lostUnexpectedly },
      both { $0.everybody.lostExpectedly }, both { $0.everybody.unrefreshed },
    ] {
      #expect(abs(counts[0] - counts[1]) <= max(1, bound), "\(counts)")
    }
    for counts in [
      both(\.provider.calls), both(\.refreshes.asked), both(\.refreshes.accepted), both(\.returns.returned),
      both(\.returns.attempts), both(\.returns.keyCalls),
    ] {
      #expect(Double(abs(counts[0] - counts[1])) <= max(3, Double(counts[1]) * 0.03), "\(counts)")
    }
    for share in [0.5, 0.95] {
      let times = [machines, wire].map { $0.timeUntil(share: share)?.inSeconds }
      #expect((times[0] == nil) == (times[1] == nil))
      guard let one = times[0], let other = times[1] else { continue }
      #expect(abs(one - other) <= max(2, other * 0.05), "\(share) after \(times)")
    }
  }

  @Test(arguments: Kind.all)
  func `both worlds agree on a herd that is served too late in part`(kind: Kind) throws {
    try Self.agree(
      Self.scene("a herd", kind) {
        $0.isPressed(queue: 200)
        $0.plan.behaviours = try! BehaviourMix(
          parsing: "well-behaved=75,slow=8,forgetful=6,stale=5,garbage=4,refused=2")
        $0.plan.slowDelay = .seconds(5)
      })
  }

  @Test(arguments: Kind.all)
  func `both worlds agree on a calm fleet in two waves, to the second in which tokens end`(kind: Kind) throws {
    try Self.agree(
      Self.scene("a calm fleet", kind) {
        $0.plan.clients = 200
        $0.plan.expiry = .own
        $0.plan.life = .seconds(90)
        $0.plan.jitter = 0.1
        $0.plan.waves = 2
      })
  }

  @Test
  func `the page says that machines play every dialect`() throws {
    let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let page = try String(contentsOfFile: "/\(folder)/Docs/simulation-file.md", encoding: .utf8)
    for vendor in Vendors.all {
      #expect(page.contains("| `\(vendor.scheme)` | "))
      for sdk in vendor.clients.sdks { #expect(page.contains("`\(sdk)`")) }
    }
  }
}
