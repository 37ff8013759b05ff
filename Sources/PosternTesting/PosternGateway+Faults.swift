internal import GatewayCore
internal import GatewayFaults
internal import GatewayRuntime
internal import GatewaySpace

// The faults that a test orders.

extension PosternGateway {
  /// Orders a fault, given in JSON, e.g. `{"fault": "drop", "what": "reply:refresh", "times": 1}`.
  ///
  /// `GET /faults/known` at ``controlURL`` lists all faults. Returns the number that ``mend(_:)`` needs. Throws the error in
  /// the order.
  @discardableResult
  public func fail(_ order: String) async throws -> Int {
    let order = try FaultOrder.read(json: Array(order.utf8))
    let space = served
    let made: Result<Int, GatewayError> = await gateway.tables[0].perform { _ in
      do throws(GatewayError) {
        guard let faults = space.faults else { throw .notFound }
        return .success(Int(try faults.add(order).number))
      } catch {
        return .failure(error)
      }
    }
    return try made.get()
  }

  /// Withdraws a fault. Returns false if it does not exist any more.
  @discardableResult
  public func mend(_ number: Int) async -> Bool {
    guard let number = UInt32(exactly: number) else { return false }
    let space = served
    return await gateway.tables[0].perform { _ in space.faults?.remove(number) ?? false }
  }
}
