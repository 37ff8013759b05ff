import FoundationEssentials
import GatewayCore
import GatewayFleet
import GatewayKit
import Testing

@testable import postern

/// Which vendors' clients the machines are, and that they then agree with the wire: the table of `Deploy/simulate.md`.
@Suite("Vendors' clients, simulated")
struct DialectTests {
  private static func scene(_ scheme: String) -> Scene {
    Scene("a herd of \(scheme), short of the cliff") {
      $0.isPressed(queue: 900)
      // In whole seconds, in which vendors date their tokens.
      $0.plan.expireAfter = 60
      $0.dialect = scheme
    }
  }

  private static let byMachines = Vendors.all.map { $0.scheme }.filter { scheme in
    (try? SimulatedClients(scheme: scheme, sdk: nil).areMachines) ?? false
  }

  @Test("where their clients have no habits of their own, machines and wire come to the same", arguments: byMachines)
  func agree(scheme: String) throws {
    let wire = try Self.scene(scheme).wire(seed: 1)
    let machines = try Self.scene(scheme).machines(seed: 1)
    #expect(wire.everybody.connected == 2000 && machines.everybody.connected == 2000)
    #expect(abs(wire.everybody.kept - machines.everybody.kept) <= 10)
    #expect(abs(Double(machines.provider.calls) / Double(wire.provider.calls) - 1) <= 0.03)
    for share in [0.5, 0.95] {
      let times = try [machines, wire].map { try #require($0.timeUntil(share: share)).inSeconds }
      #expect(abs(times[0] - times[1]) <= max(2, times[1] * 0.05), "\(share) after \(times)")
    }
  }

  @Test("the wire's world plays every vendor's, and nobody is lost", arguments: Vendors.all.map { $0.scheme })
  func wire(scheme: String) throws {
    let calm = Scene("calm") {
      $0.plan.clients = 200
      $0.plan.expireAfter = 60
      $0.plan.comeback = .seconds(120)
      $0.dialect = scheme
    }
    let result = try calm.wire(seed: 1)
    #expect(result.everybody.connected == 200 && result.everybody.kept == 200, "\(result.everybody)")
  }

  @Test("the page says which")
  func page() throws {
    let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let page = try String(contentsOfFile: "/\(folder)/Deploy/simulate.md", encoding: .utf8)
    for vendor in Vendors.all {
      let both = Self.byMachines.contains(vendor.scheme)
      #expect(page.contains("| `\(vendor.scheme)` | \(both ? "yes" : "no") | yes |"))
    }
  }
}
