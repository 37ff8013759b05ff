internal import GatewayCore
internal import GatewayFaults
internal import GatewaySimulator
internal import GatewaySpace
internal import Testing

extension TestSpace {
  /// Orders a fault of every gateway. Only in a space that accepts faults.
  package func fail(_ json: String) throws {
    for space in [space] + [spread.second].compactMap(\.self) {
      let faults = try #require(space.faults)
      let order = try FaultOrder.read(json: Array(json.utf8))
      let made: Result<UInt32, GatewayError>? = world.ask {
        do throws(GatewayError) { return .success(try faults.add(order).number) } catch { return .failure(error) }
      }
      world.settle()
      _ = try #require(made).get()
    }
  }
}
