import GatewayCore
import GatewayFaults
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

extension TestSpace {
  /// Orders a fault. Throws the refusal.
  func fail(_ order: String) throws {
    let outcome = world.ask { [space] () async -> Result<UInt32, GatewayError> in
      do throws(GatewayError) {
        return .success(try space.order(fault: Array(order.utf8)))
      } catch {
        return .failure(error)
      }
    }
    _ = try #require(outcome).get()
  }

  /// Takes all faults back.
  func mend() { _ = world.ask { [book = space.faults] in book?.removeAll() } }

  /// The number of times that a fault took effect, as the journal has it.
  var faulted: Int {
    let page = world.ask { [gateway = space.gateway] in await gateway.journal(Journal.Query(limit: .max)) } ?? nil
    return page?.lines.count { $0.event.kind == .faulted } ?? 0
  }
}
