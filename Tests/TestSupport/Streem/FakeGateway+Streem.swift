internal import GatewayCore
package import GatewayStreem

extension FakeGateway {
  /// A Streem platform's directory in memory, on the gateway's executor.
  package func makeStreemDirectory() -> any StreemDirectory {
    MemoryStreemDirectory(on: executor)
  }
}
