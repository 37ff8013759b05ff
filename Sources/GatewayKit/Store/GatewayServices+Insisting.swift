package import GatewayCore

extension GatewayServices {
  /// Retries `body` every second until the store is available again. Use it for cleanup that no other code path will
  /// do, e.g. removing a lost connection's participant.
  ///
  /// A try may have been done even if its answer was lost, so `body` must tolerate being repeated. Returns nil if it
  /// fails for another reason, or if the gateway ends first. Only from a task on a loop of the gateway.
  @discardableResult
  package func insist<Answer>(_ body: () async throws(GatewayError) -> Answer) async -> Answer? {
    var earlyCount = 0
    // If sleeps return at once, the gateway has ended.
    while earlyCount < 3 {
      let begun = wallTime
      do throws(GatewayError) {
        return try await body()
      } catch {
        guard error.isSame(as: .storeUnavailable) else { return nil }
        await sleep(for: patience, as: "a store that is away")
        earlyCount = wallTime < begun + patience / 2 ? earlyCount + 1 : 0
      }
    }
    return nil
  }
}

/// The delay before the next try when the store is unavailable.
private let patience = Duration.seconds(1)
