internal import GatewayCore
package import GatewayStream

extension FakeGateway {
  /// Stream's users in memory, on the gateway's executor.
  package func makeStreamUsers() -> any StreamDirectory {
    MemoryStreamDirectory(on: executor)
  }

  /// Stream's calls in memory, on the gateway's executor, with room for that many.
  package func makeStreamCalls(room: Int = 100) -> any StreamCallDirectory {
    MemoryStreamCallDirectory(on: executor, limits: MemoryStreamCallLimits(calls: room))
  }
}
