package import GatewayCore
package import GatewayServer
package import GatewaySpace

/// The ports of hosted spaces.
package enum SpaceListening {
  private static let lowPorts = 1...1_023
  /// The maximum number of tries to find a port that is free on every host.
  private static let triesMax = 5

  /// Throws an error if the order chooses a port below 1024, where system services listen, and may not.
  package static func checkPort(of order: SpaceOrder, allowsLow: Bool) throws(GatewayError) {
    guard allowsLow || !lowPorts.contains(order.port) else {
      throw .invalidParameter.detailed(
        "port must be 1024 or above, or 0 for a free one: the process was not told to give others away (--spaces-low-ports)"
      )
    }
  }

  /// Starts the listeners of a space. Throws a ``GatewayError`` with the reason.
  ///
  /// - Parameters:
  ///   - port: The ordered port; 0 for a free one.
  ///   - start: Starts them, on every host.
  package static func listen(
    onPort port: Int, _ start: nonisolated(nonsending) () async throws -> [Listener]
  ) async throws -> [Listener] {
    var tries = 1
    while true {
      do {
        return try await start()
      } catch let error as ServerError {
        if case .descriptorsUsedUp = error { throw GatewayError.overloaded.detailed("\(error)") }
        if port == 0 {
          guard case .addressTaken = error, tries < triesMax else {
            throw GatewayError.overloaded.detailed("\(error)")
          }
          tries += 1
        } else if case .addressTaken = error {
          throw GatewayError.alreadyExists.worded("\(error)")
        } else {
          throw GatewayError.invalidParameter.detailed("\(error)")
        }
      }
    }
  }
}
