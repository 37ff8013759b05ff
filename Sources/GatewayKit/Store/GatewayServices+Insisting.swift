package import GatewayCore

extension GatewayServices {
  /// Does what nobody else will do, however long the store is away: takes ann out of the calls that she was in by a connection
  /// that is gone, for instance. It is tried again each second; so what was done, though the answer was lost, must show
  /// when it is tried again. Nil where it fails for another reason, or the gateway ends before the store is back.
  ///
  /// Only from a task on a loop of the gateway.
  @discardableResult
  package func insist<Answer>(_ body: () async throws(GatewayError) -> Answer) async -> Answer? {
    var earlyCount = 0
    // Where nobody sleeps any more the gateway has ended.
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

/// How long a store that is away is left alone.
private let patience = Duration.seconds(1)
