internal import GatewayCore
internal import GatewayRuntime

// A client whose tokens are a trial of the gateway's judgement.

extension StormClient {
  /// Whether it presents tokens whose key the gateway cannot know. It is no client of the ledger: whatever becomes of it
  /// counts in the trial alone.
  nonisolated var isForger: Bool { fleet.setup.trial?.isForger(index) ?? false }

  /// Whether the storm need not wait for the client. It waits for no forger, since none is to be let in.
  var isThrough: Bool {
    isForger || session.isSettled(waves: fleet.setup.plan.waves, awaitsAll: fleet.setup.awaitsAll)
  }

  /// Tells the trial what a record says about the latest token. Returns whether the ledger must not have the record.
  func isTried(_ record: ClientRecord) -> Bool {
    guard let trial = fleet.setup.trial else { return false }
    switch record.tokenFate {
    case .accepted: trial.accepted(index, at: fleet.loop.wallTime)
    case .refused: trial.unaccepted(index, isRefused: true)
    case .unjudged: trial.unaccepted(index, isRefused: false)
    case nil: break
    }
    return trial.isForger(index)
  }
}
