/// Hears of the connections of one dialect. Shared by all loops, so immutable.
package protocol ConnectionObserver: Sendable {
  /// The connection, which was logged in, is closing or gone: it hears and says nothing more. Starts on its loop, once for
  /// each login, when every operation that came in before has been done.
  nonisolated(nonsending) func connectionEnded(_ caller: Caller, on services: any GatewayServices) async
}
